"""OntoGUM: GUM's coreference in the manner of OntoNotes (Zhu et al. 2021), as CoNLL-2012 columns.

Only the genres whose texts may be used for anything are taken: essays, fiction, letters, podcasts
and how-to guides are for non-commercial use, and Reddit's texts are not in the repository.
"""

from __future__ import annotations

import re
from pathlib import Path

from elmo_core.whole_files import write_text
from tasks.formats.conllu import Document, Word, read_conllu
from tasks.task import DataError

# GUM's own division (its splits.md).
SPLITS = {
    "train": """
academic: art census economics enjambment epistemic games huh implicature lighting mutation
 replication salinity theropod thrones
bio: bernoulli chao enfant fillmore galois goode gordon hadid higuchi holt jerome marbles moreau
 nida padalecki theodorus
conversation: artist atoms blacksmithing christmas erasmus family gossip scientist toys vet zero
court: carpet equality fire prince property
interview: ants brotherhood chomsky cocktail daly dungeon herrick licen mcguire mckenzie messina
 onion peres shalev stardust
news: afghan asylum clock crane defector election expo flag hackers ie9 imprisoned korea lanterns
 questionnaire soccer stampede taxes warhol warming worship
speech: albania data destiny floyd humanitarian maiden nixon remarks school telescope trump
textbook: alamo anthropology artwork cognition entrepreneurship evoethics grit history sociology
 spacetime stats
vlog: appearance college covid exams hair hiking lipstick mermaid pizzeria pregnant wine
voyage: chatham cleveland cuba fortlee guadeloupe isfahan lodz merida phoenix socotra sydfynske
 thailand tulsa york""",
    "dev": """
academic: exposure librarians
bio: byron emperor
conversation: grounded risk
court: loan negligence
interview: cyclone gaming
news: homeopathic iodine
speech: impeachment inauguration
textbook: governments labor
vlog: portland radiology
voyage: athens coron""",
    "test": """
academic: discrimination eegimaa
bio: dvorak jespersen
conversation: lambada retirement
court: insanity mitigation
interview: hill libertarian
news: nasa sensitive
speech: austria newzealand
textbook: chemistry union
vlog: london studying
voyage: oakland vavau""",
}
_MENTIONS = re.compile(r"(?:^|\|)Entity=([^|]*)")
_PIECE = re.compile(r"\(\d+\)?|\d+\)")


def documents(split: str) -> list[str]:
    """Find the documents, `GUM_academic_art` and so on, by name."""
    genres = (row.split(":") for row in SPLITS[split].replace("\n ", " ").strip().splitlines())
    return [f"GUM_{genre}_{name}" for genre, names in genres for name in names.split()]


def prepare(downloads: Path, folder: Path) -> None:
    """Write `train.conll`, `dev.conll` and `test.conll` from each document's `NAME.conllu`."""
    for split in SPLITS:
        paths = (downloads / f"{name}.conllu" for name in documents(split))
        texts = (columns(document, path) for path in paths for document in read_conllu(path))
        write_text(folder / f"{split}.conll", "".join(texts))


def columns(document: Document, path: Path) -> str:
    """Write a document in the columns of CoNLL-2012: those for what GUM does not say hold `-`.

    So does the speaker's where a sentence has none; in a name `_` stands for a blank.

    Raises DataError with file and line for a mention that is not written `(3`, `3)` or `(3)`.
    """
    lines = [f"#begin document ({document.name}); part 000"]
    for sentence in document.sentences:
        for number, word in enumerate(sentence):
            speaker = "_".join(word.speaker.split()) or "-"
            cells = [document.name, "0", str(number), word.form, word.tag, *"----", speaker, "*"]
            lines.append("\t".join([*cells, _mentions(word, path)]))
        lines.append("")
    return "\n".join([*lines, "#end document", "", ""])


def _mentions(word: Word, path: Path) -> str:
    """Separate mentions: `3)(4)` becomes `3)|(4)`."""
    found = _MENTIONS.search(word.misc)
    if found is None:
        return "-"
    pieces = _PIECE.findall(found[1])
    if "".join(pieces) != found[1]:
        raise DataError(f"{path}, line {word.line}: malformed mention {found[1]!r}")
    return "|".join(pieces)
