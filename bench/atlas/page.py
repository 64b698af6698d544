"""An atlas in words: one list of sections, as Markdown and as a page of HTML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from bench.atlas.layers import Layer, Uses
from bench.neighbours.search import Occurrence
from bench.report import wording
from bench.report.figures.style import Picture
from bench.report.formats import markdown
from bench.report.frame import Frame

NUMBERS = (
    "Anisotropy: the mean cosine of any two uses of words. Self-similarity: that of two uses of "
    "one word; in sentence: of a word's vector and its sentence's mean; both above the anisotropy "
    "(Ethayarajh 2019). Dimension: TwoNN's intrinsic dimension, of distinct vectors (Facco et al. "
    "2017). Effective rank: exp of the entropy of the singular values of the centred vectors (Roy "
    "& Vetterli 2007)."
)
NEAREST = "One use of {words}, and by every layer the nearest use in another sentence, by cosine."
ASKED = "each word that was asked for"
VARIED = "each of the words, made of letters, whose uses are least alike by the top layer"
WINDOW = 8  # words shown on each side


@dataclass(frozen=True)
class Section:
    """A heading, a sentence or two, and tables by name; a table may need none."""

    title: str
    text: str
    tables: Mapping[str, Frame]
    commands: Sequence[str] = ()


@dataclass(frozen=True)
class Atlas:
    """What is known of an encoder's layers."""

    title: str
    facts: Sequence[str]
    layers: Sequence[Layer]
    uses: Sequence[Uses]
    asked: bool  # for the words whose uses these are
    runs: Mapping[str, Frame]
    commands: Sequence[str]  # that make such runs

    @property
    def sections(self) -> list[Section]:
        """Everything but the figure, in order."""
        uses = {_quoted(each.asked): _nearest(each) for each in self.uses}
        found = [Section("Geometry", NUMBERS, {"": _numbers(self.layers)})]
        if uses:
            text = NEAREST.format(words=ASKED if self.asked else VARIED)
            found.append(Section("Nearest uses", text, uses))
        text = "" if self.runs else "No finished run used this encoder. Commands that make some:"
        return [*found, Section("Runs", text, self.runs, () if self.runs else self.commands)]


def as_markdown(atlas: Atlas) -> str:
    """Return the atlas without its figure."""
    return "\n\n".join(filter(None, _markdown(atlas))) + "\n"


def _markdown(atlas: Atlas) -> Iterator[str]:
    yield f"# {atlas.title}"
    yield " · ".join(atlas.facts)
    for section in atlas.sections:
        yield f"## {section.title}"
        yield section.text
        for name, frame in section.tables.items():
            yield f"### {name}" if name else ""
            yield markdown.table(frame)
        if section.commands:
            yield "\n".join(["```", *section.commands, "```"])


def as_html(atlas: Atlas, figure: Picture) -> str:
    """Return the page; everything is inside."""
    formats = PackageLoader("bench.report.formats", ".")  # which has the style
    environment = Environment(
        loader=ChoiceLoader([PackageLoader("bench.atlas", "."), formats]),
        autoescape=True,
        undefined=StrictUndefined,
    )
    css, _, _ = formats.get_source(environment, "page.css")
    page = environment.get_template("atlas.html")
    return page.render(css=css, atlas=atlas, figure=figure)


def _numbers(found: Sequence[Layer]) -> Frame:
    head = ["layer", "anisotropy", "self-similarity", "in sentence", "dimension", "effective rank"]
    rows = [
        [
            str(layer.number),
            wording.number(layer.anisotropy, 3),
            wording.number(layer.self_similarity, 3),
            wording.number(layer.in_sentence, 3),
            wording.number(layer.dimension),
            wording.number(layer.effective_rank),
        ]
        for layer in found
    ]
    return Frame(head, rows)


def _nearest(found: Uses) -> Frame:
    rows = [
        [str(layer), wording.number(cosine, 3), _quoted(use)]
        for layer, (cosine, use) in enumerate(found.nearest)
    ]
    return Frame(["layer", "cosine", "nearest use"], rows)


def _quoted(use: Occurrence) -> str:
    """Return the word in brackets, and the words around it."""
    begin, place = max(0, use.place - WINDOW), use.place
    left, right = use.sentence[begin:place], use.sentence[place + 1 : place + 1 + WINDOW]
    return " ".join([*left, f"[{use.word}]", *right])
