"""`python -m bench.data leaks`: planted leaks are found, named and cut out, and nothing else."""

from __future__ import annotations

import gzip
import json
import lzma
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from bench.data.__main__ import main
from bench.data.leaks import stretches as stretches_module
from bench.data.leaks.overlap import Collection
from bench.data.leaks.search import search
from bench.data.leaks.stretches import stretches
from tasks.ner import NER
from tests.bench.verbs import said

Leaks = Callable[..., tuple[int, str, str]]

LONG = "Thirteen words of this sentence stand in a row , somewhere , in another text today ."
SHORT = "No more than eight words stand in here ."
TINY = "Too short to be looked for ."


@pytest.fixture
def leaks(capsys: pytest.CaptureFixture[str]) -> Leaks:
    return lambda *words: said(capsys, main, ["leaks", *words])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A NER set of three sentences in dev and one in test."""
    folder = tmp_path / "sets" / "mine"
    folder.mkdir(parents=True)
    for name, sentences in {
        "train.txt": ["Something else ."],
        "valid.txt": [LONG, SHORT, TINY],
        "test.txt": [LONG.replace("today", "tomorrow")],
    }.items():
        lines = ("".join(f"{word} O\n" for word in sentence.split()) for sentence in sentences)
        (folder / name).write_text("\n".join(lines))
    return folder


def fillers() -> Iterator[str]:
    """Paragraphs of raw text, no two alike."""
    for i in count():
        yield f"Paragraph {i} says “{i} times {i} is {i * i}”, and no word more.\r\n"


def text(path: Path, *planted: str, number: int = 400) -> Path:
    """Each of `planted` stands between `number` others."""
    filler = fillers()
    parts = [b"".join(next(filler).encode() for _ in range(number))]
    for line in planted:
        parts += [line.encode(), *(next(filler).encode() for _ in range(number))]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(parts))
    return path


def test_planted_leaks_are_found_and_cut_out(leaks: Leaks, folder: Path, tmp_path: Path) -> None:
    leak = "Here thirteen words of this sentence stand in a row, somewhere, in another text!\n"
    short = "He wrote: NO MORE than eight words stand in here.\n"
    dirty = text(tmp_path / "dirty.txt", leak, short, "Too short to be looked for.\n")
    clean = tmp_path / "clean.txt"
    status, out, _ = leaks(dirty, "--task", "ner", "--dir", folder, "-o", clean)
    assert status == 0
    assert f"ner/mine dev dev-1: 13 words in a row, {dirty}:401" in out
    assert f"ner/mine dev dev-2: a sentence of 8 words, {dirty}:802" in out
    assert "2 lines left out" in out
    said = json.loads((tmp_path / "clean.txt.leaks.json").read_text())
    dev, test = said["splits"]
    counts = {key: dev[key] for key in ("examples", "run", "near", "short", "not_looked_for")}
    assert counts == {"examples": 3, "run": 1, "near": 0, "short": 1, "not_looked_for": 1}
    assert dev["ids"] == {"run": ["dev-1"], "near": [], "short": ["dev-2"]}
    assert (test["run"], test["worst"][0]["words"]) == (1, 13)
    kept = dirty.read_bytes().splitlines(keepends=True)
    assert clean.read_bytes() == b"".join(
        x for x in kept if x not in (leak.encode(), short.encode())
    )
    out = leaks(clean, "--task", "ner", "--dir", folder)[1]
    assert f", {clean}:" not in out


def test_clean_text_is_left_as_it_is(leaks: Leaks, folder: Path, tmp_path: Path) -> None:
    books = tmp_path / "books"
    text(books / "deep" / "a.txt")
    (books / "b.txt").write_bytes("\ufeffno end\r\rof line\n\n\n \t\nat all".encode())
    (books / "empty.txt").write_bytes(b"")
    status, out, _ = leaks(books, "--task", "ner", "--dir", folder, "-o", tmp_path / "out")
    assert (status, "0 lines left out" in out) == (0, True)
    for name in ("deep/a.txt", "b.txt", "empty.txt"):
        assert (tmp_path / "out" / name).read_bytes() == (books / name).read_bytes()


@pytest.mark.parametrize(("end", "write"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_a_compressed_text_is_read(
    end: str, write: Callable[[bytes], bytes], leaks: Leaks, folder: Path, tmp_path: Path
) -> None:
    packed = tmp_path / f"a.txt{end}"
    packed.write_bytes(write(b"Kept.\n" + LONG.encode() + b"\n"))
    clean = tmp_path / "clean"
    assert leaks(packed, "--task", "ner", "--dir", folder, "-o", clean)[0] == 0
    assert clean.read_text() == "Kept.\n"


def test_lines_that_end_in_carriage_returns_are_refused(
    leaks: Leaks, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "old.txt").write_bytes(b"Kept.\r" + LONG.encode() + b"\r")
    status, _, err = leaks(tmp_path / "old.txt", "--task", "ner", "--dir", folder)
    assert status == 2
    assert "carriage returns alone" in err


def test_hard_wrapped_text_goes_by_paragraphs(leaks: Leaks, folder: Path, tmp_path: Path) -> None:
    """The sentence runs over the end of a line; without empty lines, only its lines go."""
    leak = "Thirteen words of this sentence stand\nin a row, somewhere, in another\ntext.\n"
    wrapped = tmp_path / "wrapped.txt"
    wrapped.write_text(f"One.\n\nBefore it.\n{leak}\nTwo.\n")
    assert leaks(wrapped, "--task", "ner", "--dir", folder, "-o", tmp_path / "clean")[0] == 0
    assert (tmp_path / "clean").read_text() == "One.\n\nTwo.\n"
    wide = tmp_path / "wide.txt"
    wide.write_text(f"{'One ' * 40}\nBefore it.\n{leak}Two.\n")
    assert leaks(wide, "--task", "ner", "--dir", folder, "-o", tmp_path / "clean2")[0] == 0
    assert (tmp_path / "clean2").read_text() == f"{'One ' * 40}\nBefore it.\nTwo.\n"


@pytest.mark.parametrize("before", range(0, 400, 7))
def test_a_cut_between_stretches_hides_nothing(
    before: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the cut falls, what crosses it is found, and both its lines go."""
    monkeypatch.setattr(stretches_module, "SIZE", 600)
    monkeypatch.setattr(stretches_module, "CONTEXT", 200)
    sentence = "".join(f"w{i} " for i in range(13)).split()
    leak = f"{' '.join(sentence[:6])}\n{' '.join(sentence[6:])}\n"
    filler = "".join(f"f{i}\n" for i in range(before))
    path = tmp_path / "text"
    path.write_text(filler + leak + "".join(f"g{i}\n" for i in range(300)))
    collection = Collection()
    collection.add(sentence)
    found, removed = search(collection, {"text": path}, {"text": tmp_path / "clean"})
    assert (found[0].where, removed) == (f"{path}:{before + 1}", 2)
    assert (tmp_path / "clean").read_text() == path.read_text().replace(leak, "")


def test_memory_does_not_grow_with_the_text(tmp_path: Path) -> None:
    collection = Collection()
    collection.add([f"w{i}" for i in range(40)])
    peaks = []
    for number in (2_000, 16_000):
        path = text(tmp_path / f"{number}", number=number)
        tracemalloc.start()
        search(collection, {"text": path}, {"text": tmp_path / f"{number}.clean"})
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0] < 10e6


def test_stretches_hold_each_line_once(tmp_path: Path) -> None:
    path = text(tmp_path / "text", "\n", "x" * 50_000 + "\n", "\n")
    lines = [line for stretch in stretches(path) for line in stretch.lines[stretch.seen :]]
    assert b"".join(lines) == path.read_bytes()


def test_the_built_in_data(leaks: Leaks, tmp_path: Path) -> None:
    task = NER(data="mini")
    examples = task.load("dev")
    assert examples is not None
    sentences = (sentence for example in examples for sentence in task.sentences(example))
    planted = next(sentence for sentence in sentences if len(sentence) > 15)
    path = text(tmp_path / "text", " ".join(planted) + "\n")
    status, out, _ = leaks(path, "--task", "ner")
    assert status == 0
    assert f"words in a row, {path}:401" in out
    assert "ner/mini" in out


def test_a_collection_is_found_by_its_folders(leaks: Leaks, folder: Path, tmp_path: Path) -> None:
    root = tmp_path / "data"
    root.mkdir()
    folder.rename(root / "ner")
    path = text(tmp_path / "text", LONG + "\n")
    out = leaks(path, "--dir", root)[1]
    assert f"ner/ner dev dev-1: 14 words in a row, {path}:401" in out


def test_a_tasks_folder_may_have_one_for_each_set(
    leaks: Leaks, folder: Path, tmp_path: Path
) -> None:
    folder.rename(folder.with_name("wnut17"))
    path = text(tmp_path / "text", LONG + "\n")
    for task in (("--task", "ner"), ()):
        out = leaks(path, *task, "--dir", tmp_path / "sets")[1]
        assert f"ner/wnut17 dev dev-1: 14 words in a row, {path}:401" in out


def test_what_the_user_can_mend(leaks: Leaks, folder: Path, tmp_path: Path) -> None:
    good = text(tmp_path / "text")
    bad = tmp_path / "latin"
    bad.write_bytes(b"one\ncaf\xe9\n")
    mine = ("--task", "ner", "--dir", folder)
    for arguments, message in [
        ((tmp_path / "nowhere", *mine), "nowhere: no such file or folder"),
        ((bad, *mine), f"{bad}, line 2: not UTF-8"),
        ((good, "--task", "nre"), "--task nre: no such task; did you mean 'ner'?"),
        ((good, "--dir", tmp_path / "gone"), "gone: no such folder"),
        ((good, "--dir", folder), "say which: --task NAME"),
        ((good, "--task", "ner", "--dir", tmp_path / "sets"), "no dev file of ner"),
        ((good, *mine, "-o", good), "is there already"),
    ]:
        status, _, err = leaks(*arguments)
        assert (status, message in err) == (2, True), err
    (folder / "valid.txt").write_text("Oslo\n")
    status, _, err = leaks(good, *mine)
    assert (status, "ner/mine, dev: " in err, "valid.txt, line 1" in err) == (2, True, True)
