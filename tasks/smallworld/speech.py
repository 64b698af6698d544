"""Parts of speech, in the CoNLL-U files of Universal Dependencies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tasks.smallworld.document import Sentence
from tasks.smallworld.language import plural
from tasks.smallworld.lexicon import QUALITIES, STATES, TAXONOMIES
from tasks.smallworld.parts import Parts
from tasks.smallworld.stories import Story

UNIVERSAL = {
    "NN": "NOUN",
    "NNS": "NOUN",
    "NNP": "PROPN",
    "PRP": "PRON",
    "JJ": "ADJ",
    "CD": "NUM",
    "DT": "DET",
    "IN": "ADP",
    "RB": "ADV",
    "VB": "VERB",
    "VBD": "VERB",
    "VBN": "VERB",
    ",": "PUNCT",
    ".": "PUNCT",
}
EXCEPTIONS = {"was": "AUX", "were": "AUX", "did": "AUX", "not": "PART"}
CLOSED = {
    "DT": "a an the some",
    "CD": "two three four",
    "PRP": "she he they it her him them",
    "IN": "in on at by to from",
    "VBD": "was were did",
    "RB": "not indoors outdoors",
    ",": ",",
    ".": ".",
}


def write(folder: Path, parts: Parts) -> None:
    """Write `en_smallworld-ud-{train,dev,test}.conllu`: every sentence of the stories."""
    for split in ("train", "dev", "test"):
        path = folder / f"en_smallworld-ud-{split}.conllu"
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            for story in parts[split][0]:
                file.writelines(_lines(story))


def _lines(story: Story) -> Iterator[str]:
    yield f"# newdoc id = {story.document.id}\n"
    for number, sentence in enumerate(story.document.sentences):
        yield f"# sent_id = {story.document.id}-{number}\n# text = {sentence.text}\n"
        for i, (word, tag) in enumerate(zip(sentence.tokens, tags(sentence), strict=True), 1):
            universal = EXCEPTIONS.get(word, UNIVERSAL[tag])
            yield "\t".join([str(i), word, "_", universal, tag, *"_____"]) + "\n"
        yield "\n"


def tags(sentence: Sentence) -> list[str]:
    """Return the Penn Treebank's tag of each token: a name's, a predicate's form, or the
    lexicon's."""
    tokens = sentence.tokens
    found = [LEXICON.get(token.lower(), "NNP") for token in tokens]
    for mention in sentence.mentions:
        for i in range(mention.start, mention.name_end):
            found[i] = "NNP"
    for predication in sentence.predications:
        if predication.meaning in STATES:
            tag = "JJ"
        else:
            before = set(tokens[: predication.position]) & {"did", "was", "were"}
            tag = "VBD" if not before else "VB" if "did" in before else "VBN"
        found[predication.position] = tag
    return found


def _lexicon() -> dict[str, str]:
    found = {word: tag for tag, words in CLOSED.items() for word in words.split()}
    for kind, tree in TAXONOMIES.items():
        named = "NNP" if kind == "day" else "NN"
        for noun in tree.nouns:
            found.setdefault(plural(noun), "NNS")
            found.setdefault(noun.lower(), named if noun.istitle() else "NN")
    adjectives = (w for groups in QUALITIES.values() for g in groups for same in g for w in same)
    return found | {adjective.lower(): "JJ" for adjective in adjectives}


LEXICON = _lexicon()
