"""CoNLL-U: what parts sentences and documents, and what is no word."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.formats.conllu import read_conllu, read_sentences
from tasks.task import DataError


def rows(*words: str) -> str:
    return "".join(f"{i}\t{word}\t_\tX\tY\t_\t_\t_\t_\tM\n" for i, word in enumerate(words, 1))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.conllu"


def test_blank_lines_and_remarks_part_nothing(path: Path) -> None:
    path.write_text(f"\n\n#no space\n# text = a b\n{rows('a', 'b')}\n\n\n{rows('c')}\n\n")
    found = list(read_sentences(path))
    assert [[word.form for word in words] for _, words in found] == [["a", "b"], ["c"]]
    assert [name for name, _ in found] == [None, None]
    (last,) = found[1][1]
    assert (last.upos, last.tag, last.misc, last.line, last.speaker) == ("X", "Y", "M", 10, "")


def test_ranges_and_empty_words_are_no_words(path: Path) -> None:
    """They stand between words, and count as none of them."""
    first, second = rows("a", "b").splitlines(keepends=True)
    path.write_text("1-2" + first[1:] + first + "1.1" + first[1:] + second)
    ((_, words),) = read_sentences(path)
    assert [word.form for word in words] == ["a", "b"]


def test_documents_are_told_by_their_names(path: Path) -> None:
    """A speaker is that of one sentence."""
    path.write_text(
        f"# newdoc id = one\n# speaker = Ann\n{rows('a')}\n{rows('b')}\n"
        f"# newdoc id = two\n{rows('c')}\n# speaker = Bo\n{rows('d')}"
    )
    found = list(read_conllu(path))
    assert [document.name for document in found] == ["one", "two"]
    words = [[word for (word,) in document.sentences] for document in found]
    assert [[word.form for word in each] for each in words] == [["a", "b"], ["c", "d"]]
    assert [[word.speaker for word in each] for each in words] == [["Ann", ""], ["", "Bo"]]


def test_a_document_without_a_name_is_not_the_one_before(path: Path) -> None:
    path.write_text(
        f"#newdoc id=one\n{rows('a')}\n# newdoc\n{rows('b')}\n# newdoc id =\n{rows('c')}\n"
    )
    assert [document.name for document in read_conllu(path)] == ["one", "line 4", "line 7"]


def test_a_sentence_before_any_document_is_refused(path: Path) -> None:
    path.write_text(f"# text = a\n{rows('a')}\n# newdoc id = one\n{rows('b')}\n")
    with pytest.raises(DataError, match=r"x\.conllu, line 2: no '# newdoc id =' before it"):
        list(read_conllu(path))
