"""SQuAD behind the task contract."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import exp, inf
from pathlib import Path
from typing import Any

from datasets import Dataset
from torch import Tensor, nn

from elmo_core import Placement
from tasks.base.clusters import named_by
from tasks.base.new_text import text_of
from tasks.base.sizes import check
from tasks.base.word_task import WordTask
from tasks.nn.char_words import spell
from tasks.nn.ensemble import mean
from tasks.nn.padding import pad
from tasks.nn.spans import best_spans
from tasks.nn.words import GLOVE_STD, PAD, WordEmbedding
from tasks.squad import score as scoring
from tasks.squad.data import locate, names, read, unanswered
from tasks.squad.model import BiDAF, Sizes
from tasks.squad.respelling import respelled
from tasks.squad.sources import SOURCES
from tasks.squad.tokens import tokenise
from tasks.squad.yardstick import longest_name
from tasks.task import Batch, Example, Respell

QUESTION_WORDS = ("who", "whom", "whose", "what", "which", "when", "where", "why", "how")
SPANS = 20  # of the best ones, written down for whoever looks at a prediction


class SQuAD(WordTask):
    """Which words of a paragraph answer the question?

    Answers have at most `longest_answer` words; training paragraphs are cut to `longest_paragraph`
    words around the answer (None: never cut). Words are read in their own case, else in lower case;
    vectors from a file are fixed. Of a word's characters the first `longest_word` count. For
    `others`, see WordTask and model.Sizes.
    """

    name = "squad"
    metric = "f1"
    sources = SOURCES
    sizes_type = Sizes
    example_input = {"question": "Who met Anna?", "passage": "Anna met her sister in Oslo."}
    counts = staticmethod(scoring.counts)
    from_counts = staticmethod(scoring.from_counts)

    def __init__(
        self,
        *,
        longest_answer: int = 17,
        longest_paragraph: int | None = 400,
        longest_word: int = 14,
        **others: Any,
    ) -> None:
        check("longest_answer", longest_answer, int)
        check("longest_word", longest_word, int)
        check("longest_paragraph", longest_paragraph, int | None)
        super().__init__(**others)
        self.longest_answer, self.longest_word = longest_answer, longest_word
        self.longest_paragraph = longest_paragraph

    def read(self, split: str) -> Dataset | None:
        return read(self.folder, split, self.longest_paragraph if split == "train" else None)

    def paths(self, split: str) -> list[Path]:
        path = locate(self.folder, split)
        return [path] if path else []

    def files(self, split: str) -> str:
        return ", ".join(names(split))

    def count_words(self, examples: Iterable[Example]) -> Counter[str]:
        """Count words; those of a paragraph once, however many questions it has."""
        counts, paragraph, before = Counter[str](), Counter[str](), None
        for example in examples:
            counts.update(example["question"])
            if example["context"] != before:
                counts.update(paragraph)
                paragraph, before = Counter(), example["context"]
            paragraph |= Counter(example["tokens"])  # of one that is cut, each has its own part
        counts.update(paragraph)
        return counts

    def parse(self, fields: Mapping[str, Any]) -> Example:
        passage, question = (text_of(fields, key) for key in ("passage", "question"))
        example = unanswered(passage, tokenise(passage), question)
        return {**example, "answers": [""], "spans": [[0, 0]]}

    def sentences(self, example: Example) -> list[list[str]]:
        """Return the whole paragraph as one sequence, and the question."""
        return [example["tokens"], example["question"]]

    def respelled(self, example: Example, respell: Respell) -> Example:
        return respelled(example, respell)

    def collate(self, examples: Sequence[Example]) -> Batch:
        batch = {
            "first": pad([[span[0] for span in example["spans"]] for example in examples], -1),
            "last": pad([[span[1] for span in example["spans"]] for example in examples], -1),
        }
        for side, key in (("", "tokens"), ("question_", "question")):
            texts = [example[key] for example in examples]
            words = pad([self.words.vocabulary(words) for words in texts])
            batch[f"{side}words"], batch[f"{side}lengths"] = words, (words != PAD).sum(1)
            spellings, spelled = spell(texts, self.longest_word)
            batch[f"{side}spellings"], batch[f"{side}spelled"] = spellings, spelled
        return batch

    def model(self, placement: Placement) -> nn.Module:
        return BiDAF(WordEmbedding(self.words, std=GLOVE_STD), placement, self.sizes)

    def predict(self, output: dict[str, Tensor], examples: Sequence[Example]) -> list[Example]:
        """Choose the best answer; besides it its characters `start` ≤ i < `end`, its `probability`,
        and the best `spans`: start, end, log-probability and text of each."""
        found = best_spans(output["start"], output["end"], self.longest_answer, SPANS)
        return [_row(*row) for row in zip(examples, *(x.tolist() for x in found), strict=True)]

    def combine(self, outputs: Sequence[dict[str, Tensor]]) -> dict[str, Tensor]:
        """Add up the models' log-probabilities of each span: for each end the mean, normalised."""
        return {end: mean(o[end] for o in outputs).log_softmax(1) for end in ("start", "end")}

    def cluster(self, example: Example) -> str:
        """Name the article, if the data tells it, else the paragraph, which its questions share."""
        return str(example.get("document_id") or named_by(example["context"]))

    def slices(self, example: Example) -> dict[str, str | int]:
        """Add the question word and the length of the first answer; see Task."""
        asked = (word.lower() for word in example["question"])
        first, last = example["spans"][0]
        return {
            **super().slices(example),
            "question word": next((word for word in asked if word in QUESTION_WORDS), "other"),
            "answer length": last - first + 1,
        }

    def drawn(self, example: Example, row: Example) -> dict[str, str]:
        question = " ".join(example["question"])
        answers = " | ".join(dict.fromkeys(row["answers"]))
        text = f"{question} — {example['context']}"
        return {"text": text, "gold": answers, "prediction": row["prediction"]}

    def score(self, predictions: Sequence[Example]) -> dict[str, float]:
        return scoring.score(
            {row["id"]: row["prediction"] for row in predictions},
            {row["id"]: row["answers"] for row in predictions},
        )

    def yardsticks(self, train: Dataset, split: Dataset) -> dict[str, float]:
        guesses = {example["id"]: longest_name(example) for example in split}
        gold = dict(zip(split["id"], split["answers"], strict=True))
        return {"longest name not in the question": scoring.score(guesses, gold)[self.metric]}


def _row(example: Example, scores: list[float], first: list[int], last: list[int]) -> Example:
    spans = []
    for log_probability, i, j in zip(scores, first, last, strict=True):
        if log_probability > -inf:
            start, end = example["starts"][i], example["ends"][j]
            spans.append([start, end, round(log_probability, 6), example["context"][start:end]])
    start, end, log_probability, text = spans[0]
    return {
        "id": example["id"],
        "prediction": text,
        "gold": example["answers"][0],
        "answers": example["answers"],
        "start": start,
        "end": end,
        "probability": exp(log_probability),
        "spans": spans,
    }
