"""Words with a star are kept out of training, and the command that writes the world."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tasks.smallworld.__main__ import main
from tasks.smallworld.lexicon import NOVEL, QUALITIES, TAXONOMIES, VERBS


def test_a_star_holds_a_word_out() -> None:
    """Each one is a word that the lexicon may choose, spelled alike."""
    nouns = {noun for tree in TAXONOMIES.values() for noun in tree.nouns}
    adjectives = {w for groups in QUALITIES.values() for g in groups for same in g for w in same}
    assert {verb.base for verb in VERBS} | nouns | adjectives >= NOVEL


STORIES = (
    *("coref/train.conll", "ner/eng.train", "pos/en_smallworld-ud-train.conllu"),
    *("snli/snli_1.0_train.jsonl", "squad/train-v1.1.json", "srl/train.tsv"),
)


@pytest.mark.parametrize("name", STORIES)
def test_no_story_of_training_has_a_word_with_a_star(world: Path, name: str) -> None:
    forms = {form for v in VERBS if v.base in NOVEL for form in (v.base, v.past, v.participle)}
    found = set(re.findall(r"[\w-]+", (world / name).read_text(encoding="utf-8")))
    assert not (forms | NOVEL) & found


def test_a_place_that_is_no_folder_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("sys.argv", ["smallworld", str(tmp_path / "file")])
    with pytest.raises(SystemExit):
        main()
    assert f"{tmp_path / 'file'}: " in capsys.readouterr().err
