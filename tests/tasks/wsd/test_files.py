"""Word senses: the framework's files, read exactly or refused."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from tasks.task import DataError
from tasks.wsd import corpus
from tasks.wsd.corpus import read_keys, read_sentences
from tasks.wsd.data import first_senses, read
from tasks.wsd.inventory import read_first_senses
from tasks.wsd.sources import SEMCOR_3
from tasks.wsd.task import WSD
from tests.conftest import shared
from tests.tasks.wsd.wsd_set import MONEY, RIVER, SAT, TAKE


@pytest.mark.parametrize("chunk", [1 << 16, 7])
def test_the_corpus_is_read_exactly(
    wsd_folder: Path, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus, "CHUNK", chunk)
    train = read(wsd_folder, "train")
    assert train is not None
    assert train.to_list() == [
        {
            "id": "semcor.d000.s000",
            "set": "semcor",
            "tokens": ["He", "sat", "on", "the", "bank", "of", "it"],
            "instances": ["d000.s000.t000", "d000.s000.t001"],
            "lemmas": ["sit#v", "bank#n"],
            "spans": [[1, 2], [4, 5]],
            "senses": [[SAT], [RIVER]],
        },
        {
            "id": "semcor.d001.s000",
            "set": "semcor",
            "tokens": ["The", "bank", "&", "I", "took", "place"],
            "instances": ["d001.s000.t000", "d001.s000.t001"],
            "lemmas": ["bank#n", "take_place#v"],
            "spans": [[1, 4], [4, 6]],
            "senses": [[MONEY, RIVER], [TAKE]],
        },
    ]


def test_words_are_read_without_a_treebanks_escapes(wsd_folder: Path) -> None:
    """The biLM never read these; there are as many tokens as before, at the same places."""
    path = wsd_folder / "semcor" / "semcor.data.xml"
    written = path.read_text().replace(">He<", ">``<").replace(">of<", ">''<")
    path.write_text(written.replace(">bank &amp; I<", ">-LRB- &amp; I<"))
    one, _, two = read_sentences(path)
    assert one.tokens == ['"', "sat", "on", "the", "bank", '"', "it"]
    assert two.tokens == ["The", "(", "&", "I", "took", "place"]
    spans = [(each.start, each.end) for each in (*one.instances, *two.instances)]
    assert spans == [(1, 2), (4, 5), (1, 4), (4, 6)]


def test_lemmas_are_told_apart_without_capitals(wsd_folder: Path) -> None:
    """As the inventory's are: else `Bank` would have no first sense."""
    path = wsd_folder / "semcor" / "semcor.data.xml"
    path.write_text(path.read_text().replace('lemma="bank"', 'lemma="Bank"'))
    one, _, two = read_sentences(path)
    assert [each.lemma for each in (*one.instances, *two.instances)] == [
        *("sit#v", "bank#n", "bank#n", "take_place#v")
    ]


def test_a_corpus_is_read_as_it_comes(wsd_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first sentence is there before the last line is: what comes after is not XML."""
    monkeypatch.setattr(corpus, "CHUNK", 64)
    path = wsd_folder / "semcor" / "semcor.data.xml"
    path.write_text(path.read_text() + "<")
    sentences = read_sentences(path)
    assert next(sentences).id == "d000.s000"
    with pytest.raises(DataError, match=r"semcor\.data\.xml, line \d+: not XML"):
        list(sentences)


def test_sets_of_a_split_stand_together(wsd_folder: Path) -> None:
    test = read(wsd_folder, "test")
    assert test is not None
    assert test["set"][:] == ["senseval2", "semeval2015"]
    assert test["id"][:] == ["senseval2.d000.s000", "semeval2015.d000.s000"]
    assert read(wsd_folder / "semcor", "dev") is None
    with pytest.raises(DataError, match=r"no dev file of wsd \(semeval2007\.data\.xml\)"):
        WSD(data="open", folder=str(wsd_folder / "semcor")).load("dev")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('pos="VERB"', 'pos="V"', r"semcor\.data\.xml, line 6: pos='V' of d000\.s000\.t000"),
        ('lemma="sit" ', "", r"line 6: <instance> without lemma"),
        (">sat<", "> <", r"line 6: <instance> without a word"),
        ('<sentence id="d000.s000">', "", r"line 5: <wf> where none may stand"),
        (">sat<", "><b>sat</b>up<", r"line 6: <b> where none may stand"),
        ("</sentence>", '<sentence id="x"></sentence></sentence>', r"<sentence> where none may"),
        ("</sentence>", "it</sentence>", r"line \d+: 'it' in a sentence, but in no word"),
        ("</sentence>", "", r"line 13: <sentence> where none may stand"),
        ("</corpus>", "</x>", r"line \d+: not XML \(mismatched tag\)"),
        ("d000.s000.t001", "d9", r"line 9: semcor\.gold\.key\.txt has no senses of d9"),
    ],
)
def test_a_malformed_corpus_is_refused(wsd_folder: Path, old: str, new: str, says: str) -> None:
    path = wsd_folder / "semcor" / "semcor.data.xml"
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(DataError, match=says):
        read(wsd_folder, "train")


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("d000.s009.t000 x%1:00:00::\n", r"semcor\.gold\.key\.txt has 5 instances, .*xml 4"),
        ("d000.s009.t000\n", r"semcor\.gold\.key\.txt, line 6: no sense of d000\.s009\.t000"),
    ],
)
def test_keys_must_fit_the_corpus(wsd_folder: Path, more: str, says: str) -> None:
    path = wsd_folder / "semcor" / "semcor.gold.key.txt"
    path.write_text(path.read_text() + more)
    with pytest.raises(DataError, match=says):
        read(wsd_folder, "train")


def test_a_corpus_without_keys_is_refused(wsd_folder: Path) -> None:
    (wsd_folder / "semcor" / "semcor.gold.key.txt").unlink()
    with pytest.raises(DataError, match=r"no file .*semcor\.gold\.key\.txt"):
        read(wsd_folder, "train")


def test_keys_of_an_instance_may_stand_on_several_lines(tmp_path: Path) -> None:
    (tmp_path / "x.gold.key.txt").write_text("a one\nb two three\na four\n")
    assert read_keys(tmp_path / "x.gold.key.txt") == {"a": ["one", "four"], "b": ["two", "three"]}


def test_first_senses(wsd_folder: Path) -> None:
    """The lowest number wins, whatever the order of the lines; heads and satellites are one."""
    expected = {
        "bank#n": RIVER,
        "sit#v": SAT,
        "happen#v": "happen%2:30:00::",
        "long#a": "long%3:00:02::",
    }
    assert first_senses(wsd_folder) == expected
    (wsd_folder / "index.sense").write_text(
        (wsd_folder / "index.sense").read_text().replace("\n", "\n\n") + " \n"
    )
    assert first_senses(wsd_folder) == expected
    table = "bank%1:14:00::\tbank\tn\t2\t1-n\nbank%1:17:01::\tbank\tn\t1\t2-n\n"
    (wsd_folder / "oewn_senses.tsv").write_text(
        table + ".22_caliber%3:01:00::\t.22 caliber\ta\t1\t3-a\n"
    )
    assert read_first_senses(wsd_folder / "oewn_senses.tsv") == {
        "bank#n": RIVER,
        ".22_caliber#a": ".22_caliber%3:01:00::",
    }


@pytest.mark.parametrize("rows", [(0, 1, 2, 3), (3, 2, 1, 0)])
def test_the_entry_without_capitals_comes_first(tmp_path: Path, rows: tuple[int, ...]) -> None:
    """`State` and `state` each have a first sense; a text's `state` is seldom the name."""
    table = [
        "state%1:14:02::\tState\tn\t1\t1-n",
        "state%1:15:01::\tstate\tn\t1\t2-n",
        "state%1:03:00::\tstate\tn\t2\t3-n",
        "oslo%1:15:00::\tOslo\tn\t1\t4-n",
    ]
    path = tmp_path / "oewn_senses.tsv"
    path.write_text("\n".join(table[i] for i in rows))
    assert read_first_senses(path) == {"state#n": "state%1:15:01::", "oslo#n": "oslo%1:15:00::"}


@pytest.mark.parametrize("line", ["bank 09213565 1 25", f"{RIVER} 09213565 1", f"{RIVER} 0 x 25"])
def test_a_malformed_inventory_is_refused(wsd_folder: Path, line: str) -> None:
    path = wsd_folder / "index.sense"
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(DataError, match=r"index\.sense, line 7: expected a sense"):
        first_senses(wsd_folder)
    path.unlink()
    with pytest.raises(DataError, match=r"no sense inventory \(index\.sense, .*WordNet 3\.0"):
        first_senses(wsd_folder)


@pytest.mark.slow
def test_the_real_files(tmp_path: Path) -> None:
    with tarfile.open(shared("data/wsd.tar.xz")) as archive:
        archive.extractall(tmp_path, filter="data")
    source = SEMCOR_3
    dev = source.count(tmp_path, "dev")
    assert dev is not None
    assert dict(dev.counts) == source.counts["dev"]
    assert source.count(tmp_path, "test") is None
    train = source.count(tmp_path, "train")
    assert train is not None
    assert dict(train.counts) == source.counts["train"]
    examples = read(tmp_path, "dev")
    assert examples is not None
    first = first_senses(tmp_path)
    answers = [[first[lemma]] for row in examples for lemma in row["lemmas"] if lemma in first]
    assert len(answers) == 455


def test_a_set_without_an_inventory_is_scored_and_not_learned(wsd_folder: Path) -> None:
    (wsd_folder / "index.sense").unlink()
    task = WSD(data="open", folder=str(wsd_folder))
    assert len(task.paths("dev")) == 2
    train = task.load("train")
    assert train is not None
    with pytest.raises(DataError, match="no sense inventory"):
        task.prepare(train)


def test_what_is_free_is_not_said_to_be_licensed() -> None:
    with pytest.raises(DataError, match=r"cannot be downloaded: write SemCor .*data\.dir=FOLDER"):
        WSD(data="open").load("train")
