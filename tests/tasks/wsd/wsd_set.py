"""A small word-sense set in the framework's files."""

from __future__ import annotations

from pathlib import Path

RIVER, MONEY = "bank%1:17:01::", "bank%1:14:00::"
SAT, TAKE = "sit%2:35:00::", "take_place%2:30:00::"


def sentence(name: str, *words: str) -> str:
    """`bank#NOUN=banks` is an instance, its id counted up; anything else a word."""
    lines, number = [f'<sentence id="{name}">'], 0
    for word in words:
        lemma, _, rest = word.partition("#")
        pos, _, form = rest.partition("=")
        if rest:
            mark = f'id="{name}.t{number:03}" lemma="{lemma}" pos="{pos}"'
            lines.append(f"<instance {mark}>{form}</instance>")
            number += 1
        else:
            lines.append(f'<wf lemma="{word}" pos="X">{word}</wf>')
    return "\n".join([*lines, "</sentence>"])


def text(name: str, *sentences: str) -> str:
    return "\n".join([f'<text id="{name}">', *sentences, "</text>"])


def write_set(folder: Path, name: str, texts: list[str], keys: str) -> None:
    inner = folder / name
    inner.mkdir(parents=True)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<corpus lang="en">\n'
    (inner / f"{name}.data.xml").write_text(head + "\n".join(texts) + "\n</corpus>\n")
    (inner / f"{name}.gold.key.txt").write_text(keys)


def write_inventory(folder: Path) -> None:
    lines = [f"{MONEY} 08420278 2 20", f"{RIVER} 09213565 1 25", f"{SAT} 01543123 1 98"]
    lines += ["happen%2:30:00:: 00339934 1 81", "long%5:00:00:tall:00 02385102 3 0"]
    (folder / "index.sense").write_text("\n".join([*lines, "long%3:00:02:: 01437963 1 123"]) + "\n")


def write_wsd(data: Path) -> None:
    """SemCor of two documents, SemEval-2007, two of the test sets and an inventory."""
    one = text(
        "d000",
        sentence("d000.s000", "He", "sit#VERB=sat", "on", "the", "bank#NOUN=bank", "of", "it"),
        sentence("d000.s001", "Nothing", "else"),
    )
    two = text(
        "d001", sentence("d001.s000", "The", "bank#NOUN=bank &amp; I", "take_place#VERB=took place")
    )
    keys = f"d000.s000.t000 {SAT}\nd000.s000.t001 {RIVER}\n\nd001.s000.t000 {MONEY} {RIVER}\n"
    write_set(data, "semcor", [one, two], keys + f"d001.s000.t001 {TAKE}\n")
    dev = [text("d000", sentence("d000.s000", "bank#NOUN=Banks", "sit#VERB=sit"))]
    write_set(data, "semeval2007", dev, f"d000.s000.t000 {MONEY}\nd000.s000.t001 {SAT}\n")
    write_set(data, "senseval2", dev, f"d000.s000.t000 {RIVER}\nd000.s000.t001 {SAT}\n")
    rest = [text("d000", sentence("d000.s000", "long#ADJ=Long", "unheard#ADV=unheard"))]
    gold = "d000.s000.t000 long%3:00:02::\nd000.s000.t001 unheard%4:02:00::\n"
    write_set(data, "semeval2015", rest, gold)
    write_inventory(data)
