"""The verb: sets, texts, the clean copy."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.markup import escape

from bench.console import for_tables, short
from bench.data.leaks.overlap import Collection
from bench.data.leaks.report import row_of, show
from bench.data.leaks.search import search
from bench.data.leaks.sets import chosen, splits
from bench.errors import RunError
from elmo_core.text.files import find_texts
from elmo_core.whole_files import write_text


def leaks(texts: Sequence[Path], task: str | None, folder: Path | None, clean: Path | None) -> int:
    """Print what leaks; with `clean`, write the texts without it, and a JSON file beside them.

    Raises TextError for texts that are not there, RunError for folders, tasks and data files.
    """
    files = find_texts(texts)
    targets = _targets(texts, files, clean) if clean else {}
    collection = Collection()
    audited = list(splits(chosen(task, folder), collection))
    found, removed = search(collection, files, targets)
    rows = [row_of(split, found) for split in audited]
    show(rows)
    if clean:
        said = {"texts": [str(text) for text in texts], "removed_lines": removed, "splits": rows}
        beside = clean.with_name(f"{clean.name}.leaks.json")
        write_text(beside, json.dumps(said, indent=1, ensure_ascii=False))
        for_tables().print(f"{removed:,} lines left out of {escape(short(clean))}")
    return 0


def _targets(texts: Sequence[Path], files: Mapping[str, Path], clean: Path) -> dict[str, Path]:
    """Return where each file goes: to `clean` itself if the one text is a file, else below it.

    A folder's files keep their places; of several texts, each begins with its own name.
    """
    if len(texts) > 1:
        targets = {name: clean / name for name in files}
    elif texts[0].is_file():
        targets = dict.fromkeys(files, clean)
    else:
        targets = {name: clean / Path(*Path(name).parts[1:]) for name in files}
    for target in targets.values():
        if target.exists():
            raise RunError(f"-o {target}: is there already; remove it, or give another name")
    return targets
