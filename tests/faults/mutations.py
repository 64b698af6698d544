"""What happens to files: bits flip, disks lose blocks, editors recode, people cut and paste."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

Mutation = Callable[[bytes, Random], bytes]

PIECES = (
    *(
        b"\0" * 4096,
        b"\xff",
        b"\xed\xa0\x80",
        b"\xef\xbb\xbf",
        b"\r",
        b"\r\n",
        b"\n\n",
        b"\t",
        b" ",
    ),
    *("\u2028\x85\xa0".encode(), b"\x1b[31m", b"x" * 100_000, b"9" * 5000, "²".encode(), b"-1"),
    *(b"NaN", b"Infinity", b"1e999", b"null", b"[]", b"{}", b'""', b'"\\ud800"', b"[" * 100_000),
    *(b"(", b")", b"(((", b"*", b"|", b"(7", b"7)", b"(7)|(7)", b"-", b"_", b"#", b"B-", b"I-X"),
    *(b"<", b"&", b"&amp;", b"</sentence>", b'<instance id="d" lemma="a" pos="NOUN">', b"[WORD]"),
    *(b"-DOCSTART-", b"#begin document (x); part 000", b"#end document", b"# newdoc id = x"),
)


def mutate(content: bytes, random: Random) -> bytes:
    """Change the content once, or a few times."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        content = random.choice(MUTATIONS)(content, random)
    return content


def _flip(content: bytes, random: Random) -> bytes:
    changed = bytearray(content)
    for _ in range(random.choice((1, 1, 20)) if content else 0):
        changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def _cut(content: bytes, random: Random) -> bytes:
    return content[: random.randint(0, len(content))]


def _remove(content: bytes, random: Random) -> bytes:
    start, end = _slice(content, random)
    return content[:start] + content[end:]


def _splice(content: bytes, random: Random) -> bytes:
    start, end = _slice(content, random)
    at = random.randint(0, len(content))
    return content[:at] + content[start:end] + content[at:]


def _zero(content: bytes, random: Random) -> bytes:
    start, end = _slice(content, random)
    return content[:start] + b"\0" * (end - start) + content[end:]


def _insert(content: bytes, random: Random) -> bytes:
    at = random.randint(0, len(content))
    return content[:at] + random.choice(PIECES) + content[at:]


def _replace_field(content: bytes, random: Random) -> bytes:
    """One of what stands between tabs and blanks becomes something else."""
    fields = content.split(random.choice((b"\t", b" ", b"\n", b'"', b":", b",")))
    separator = content[len(fields[0]) : len(fields[0]) + 1]
    fields[random.randrange(len(fields))] = random.choice((*PIECES, b""))
    return separator.join(fields)


def _lines(content: bytes, random: Random) -> bytes:
    """A line is repeated, gets lost, or they are shuffled."""
    lines = content.splitlines(keepends=True)
    if lines:
        at = random.randrange(len(lines))
        lines[at : at + 1] = [lines[at]] * random.choice((0, 2, 1000))
        if random.random() < 0.2:
            random.shuffle(lines)
    return b"".join(lines)


def _recode(content: bytes, random: Random) -> bytes:
    """As another editor would save it."""
    text = content.decode("utf-8", "replace")
    encoding = random.choice(("utf-16", "utf-8-sig", "latin-1", "utf-7", "crlf", "cr"))
    if encoding in ("crlf", "cr"):
        return content.replace(b"\n", b"\r\n" if encoding == "crlf" else b"\r")
    return text.encode(encoding, "replace")


def _noise(content: bytes, random: Random) -> bytes:
    return bytes(random.randrange(256) for _ in range(random.choice((0, 1, 50))))


def _slice(content: bytes, random: Random) -> tuple[int, int]:
    start = random.randint(0, len(content))
    return start, random.randint(start, min(len(content), start + 200))


MUTATIONS: tuple[Mutation, ...] = (
    *(_flip, _cut, _remove, _splice, _zero, _insert, _insert, _replace_field, _replace_field),
    *(_lines, _recode, _noise),
)
