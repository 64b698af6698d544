"""Archives of hostile members, unpacked: `python -m tests.faults.archives --seed 1 --count 1000`.

Whatever stands in an archive, nothing is written outside the folder that it is unpacked to, nothing
in there is a link or a device, and what is refused leaves nothing behind.
"""

from __future__ import annotations

import argparse
import gzip
import io
import lzma
import stat
import sys
import tarfile
import zipfile
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from elmo_core.downloads.archives import unpack
from elmo_core.errors import FetchError

NAMES = (
    *("b", "../x", "../../x", "b/../../x", "OUTSIDE/x", "/OUTSIDE/x", "..\\x", "C:\\x"),
    *("C:x", ".", "..", "b/..", "./a.txt", "~/x", "x" * 300, "é\u2028", "a\nb", "link", "link/x"),
    *("", " ", "NUL", "a.txt/d", "-x", "b/.", "../out/a.txt", "../outside/kept"),
)
GOOD = ("a.txt", "b/c.txt")
TYPES = (
    *(tarfile.REGTYPE, tarfile.REGTYPE, tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE),
    *(tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.CONTTYPE, tarfile.GNUTYPE_SPARSE),
)
KEPT = "as it was"


def tarred(path: Path, names: list[str], random: Random) -> None:
    """Write a tar file of members of these names, with links to others and outside."""
    form = random.choice((tarfile.PAX_FORMAT, tarfile.GNU_FORMAT))
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=form) as archive:
        for name in names:
            member = tarfile.TarInfo(name)
            member.type, member.linkname = random.choice(TYPES), random.choice(names)
            member.mode = random.choice((0o644, 0o4777, 0))
            member.size = 4 if member.isreg() else 0
            if random.random() < 0.2:
                member.pax_headers = {random.choice(("path", "linkpath")): random.choice(names)}
            archive.addfile(member, io.BytesIO(b"evil"))
    compress = random.choice((bytes, gzip.compress, lzma.compress))
    path.write_bytes(compress(packed.getvalue()))


def zipped(path: Path, names: list[str], random: Random) -> None:
    """Write a zip file of members of these names, of which some say that they are links."""
    with zipfile.ZipFile(
        path, "w", random.choice((zipfile.ZIP_STORED, zipfile.ZIP_LZMA))
    ) as archive:
        for name in names:
            member = zipfile.ZipInfo(name)
            kind = random.choice((stat.S_IFREG, stat.S_IFLNK, stat.S_IFDIR, stat.S_IFIFO))
            member.external_attr = (kind | 0o777) << 16
            archive.writestr(member, random.choice(names))


def trial(seed: str, folder: Path) -> tuple[str, str | None]:
    """Unpack one archive; return "unpacked" or "refused", and what is wrong, if anything is."""
    random, out, outside = Random(seed), folder / "out", folder / "outside"
    outside.mkdir()
    (outside / "kept").write_text(KEPT)
    archive = folder / "archive"
    drawn = random.sample(NAMES, random.randint(1, 3)) + random.sample(GOOD, 1)
    names = [name.replace("OUTSIDE", str(outside)) for name in drawn]
    random.choice((tarred, zipped))(archive, random.sample(names, len(names)), random)
    outcome = "unpacked"
    try:
        unpack(archive, out, lambda name: name)
    except FetchError as error:
        outcome = "refused"
        if len(str(error).splitlines()) != 1:
            return outcome, f"a message of several lines: {error}"
    except Exception as error:
        return "bad", f"{type(error).__name__}: {error}"
    return outcome, _wrong(folder, outcome)


def _wrong(folder: Path, outcome: str) -> str | None:
    """Say what lies where it may not."""
    inside = sorted((folder / "out").rglob("*"))
    if outcome == "refused" and inside:
        return f"refused, and left {inside[0].name!r}"
    for path in inside:
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            return f"{path.name!r} is no plain file"
        if path.is_file() and (path.stat().st_nlink > 1 or path.stat().st_mode & stat.S_ISUID):
            return f"{path.name!r} is a link, or runs as another user"
    others = {path.name for path in folder.iterdir()} - {"out", "outside", "archive"}
    if others or {path.name for path in (folder / "outside").iterdir()} != {"kept"}:
        return f"something lies outside: {sorted(others)}"
    return None if (folder / "outside" / "kept").read_text() == KEPT else "another file was changed"


def main() -> None:
    """Run the campaign; exit with 1 where a trial is bad."""
    parser = argparse.ArgumentParser("python -m tests.faults.archives", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn (default: 1)")
    parser.add_argument("--count", type=int, default=1000, help="archives (default: 1000)")
    given = parser.parse_args()
    tally = {"unpacked": 0, "refused": 0, "bad": 0}
    for number in range(given.count):
        with TemporaryDirectory() as folder:
            outcome, wrong = trial(f"{given.seed}.{number}", Path(folder))
        tally["bad" if wrong else outcome] += 1
        if wrong:
            print(f"bad: archive {given.seed}.{number}: {wrong}")
    said = ", ".join(f"{count} {what}" for what, count in tally.items())
    print(f"archives: {given.count} tried, {said}")
    sys.exit(bool(tally["bad"]))


if __name__ == "__main__":
    main()
