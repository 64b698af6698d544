"""Claims into English sentences, keeping track of which token says what."""

from __future__ import annotations

from tasks.smallworld.claims import DETAILS, SOME, Claim, Phrase
from tasks.smallworld.document import Argument, Mention, Predication, Sentence
from tasks.smallworld.lexicon import TAXONOMIES

NUMBERS = {SOME: "some", 2: "two", 3: "three", 4: "four"}
_PLURALS = {
    "person": "people",
    "woman": "women",
    "man": "men",
    "child": "children",
    "craftsman": "craftsmen",
    "footman": "footmen",
}
_OBJECT_FORMS = {"she": "her", "he": "him", "they": "them", "it": "it"}
_DETAIL_ROLES = {"venue": "ARGM-LOC", "town": "ARGM-LOC", "day": "ARGM-TMP"}


def plural(noun: str) -> str:
    return _PLURALS.get(noun, noun + "s")


def article(word: str) -> str:
    return "an" if word[0].lower() in "aeiou" else "a"


def sentence(claim: Claim) -> Sentence:
    """Say the claim in one sentence, with its mentions and its predication."""
    return _Line(claim).finish()


class _Line:
    """A sentence under construction."""

    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        self.tokens: list[str] = []
        self.mentions: list[Mention] = []
        self.arguments: list[Argument] = []
        self.position = 0

    def finish(self) -> Sentence:
        claim, verb = self.claim, self.claim.verb
        if claim.fronted and "day" in claim.roles:
            self.detail("day")
            self.tokens.append(",")
        self.role(claim.subject)
        self.predicate()
        if claim.passive:
            self.role(verb.subject, "by")
        elif claim.dative and verb.oblique in claim.roles:
            self.role(verb.oblique)
            self.role(verb.object)
        else:
            self.role(verb.object)
        if claim.passive or not claim.dative:
            self.role(verb.oblique, verb.preposition)
        for name in DETAILS:
            if not (name == "day" and claim.fronted):
                self.detail(name)
        if self.tokens[-1] == ",":  # the comma that closes an apposition
            self.tokens.pop()
        first = self.tokens[0]
        tokens = (first[0].upper() + first[1:], *self.tokens[1:], ".")
        predication = Predication(
            self.position, verb.base, verb.meaning.name, tuple(sorted(self.arguments, key=_start))
        )
        return Sentence(tokens, tuple(sorted(self.mentions, key=_start)), (predication,))

    def predicate(self) -> None:
        claim, verb = self.claim, self.claim.verb
        was = "was" if claim.roles[claim.subject].count == 1 else "were"
        state = verb.meaning.frame == "state"
        auxiliary = [was] if state or claim.passive else ["did"] if claim.negated else []
        self.tokens += auxiliary
        if claim.negated:
            self.arguments.append(Argument(len(self.tokens), len(self.tokens) + 1, "ARGM-NEG"))
            self.tokens.append("not")
        self.position = len(self.tokens)
        plain = verb.base if claim.negated or state else verb.past
        self.tokens.append(verb.participle if claim.passive else plain)

    def role(self, role: str, preposition: str = "") -> None:
        """Add the phrase that fills the role, if one does."""
        phrase = self.claim.roles.get(role)
        if phrase is None:
            return
        start = len(self.tokens)
        self.tokens += [preposition] if preposition else []
        self.phrase(phrase, subject=role == self.claim.subject)
        end = len(self.tokens) - (self.tokens[-1] == ",")
        verb = self.claim.verb
        place = {verb.subject: "ARG0", verb.object: "ARG1"}.get(role, "ARG2")
        self.arguments.append(Argument(start, end, place))

    def detail(self, role: str) -> None:
        phrase = self.claim.roles.get(role)
        if phrase is None:
            return
        start = len(self.tokens)
        if phrase.noun not in ("indoors", "outdoors"):
            weekend = phrase.noun == "weekend"
            self.tokens.append("at" if weekend else "on" if role == "day" else "in")
        self.phrase(phrase)
        self.arguments.append(Argument(start, len(self.tokens), _DETAIL_ROLES[role]))

    def phrase(self, phrase: Phrase, subject: bool = False) -> None:
        """Add the phrase's words and its mention."""
        start = len(self.tokens)
        name = phrase.name.split() if phrase.form != "pronoun" else []
        bare = bool(name) and phrase.noun == TAXONOMIES[phrase.kind].top
        self.tokens += name
        name_end = start + len(name)
        if not bare and not (name and phrase.kind == "body"):
            apposition = bool(name)
            self.tokens += [","] if apposition else []
            self.tokens += self.description(phrase, subject)
            self.tokens += [","] if apposition else []
        end = len(self.tokens) - (self.tokens[-1] == ",")
        self.mentions.append(Mention(start, end, phrase.entity, phrase.kind, bool(name), name_end))

    def description(self, phrase: Phrase, subject: bool) -> list[str]:
        if phrase.form == "pronoun":
            return [phrase.pronoun if subject else _OBJECT_FORMS[phrase.pronoun]]
        if (phrase.kind == "day" and phrase.noun.istitle()) or phrase.noun in (
            "indoors",
            "outdoors",
        ):
            return [phrase.noun]
        noun = phrase.noun if phrase.count == 1 else plural(phrase.noun)
        words = [phrase.adjective, noun] if phrase.adjective else [noun]
        if phrase.form == "known" or phrase.kind == "venue" or phrase.noun == "weekend":
            return ["the", *words]
        if phrase.count == 1:
            return [article(words[0]), *words]
        return [NUMBERS[phrase.count], *words]


def _start(span: Mention | Argument) -> int:
    return span.start
