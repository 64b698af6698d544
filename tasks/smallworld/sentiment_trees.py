"""Trees with a sentiment at every node, and how it follows from the parts'."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tree:
    """A word or two parts, and what they are worth together: −2 (very negative) to 2."""

    value: int
    parts: tuple[Tree, Tree] | str

    @property
    def text(self) -> str:
        return self.parts if isinstance(self.parts, str) else " ".join(p.text for p in self.parts)

    def __str__(self) -> str:
        inner = self.parts if isinstance(self.parts, str) else " ".join(map(str, self.parts))
        return f"({self.value + 2} {inner})"


def flat(text: str) -> Tree:
    """Cut words of no worth in halves, again and again."""
    tokens = text.split()
    half = len(tokens) // 2
    if not half:
        return Tree(0, text)
    return Tree(0, (flat(" ".join(tokens[:half])), flat(" ".join(tokens[half:]))))


def join(*parts: Tree) -> Tree:
    """Join parts, branching to the right, worth as much as the one part that is worth something."""
    first, *rest = parts
    if not rest:
        return first
    second = join(*rest)
    return Tree(first.value or second.value, (first, second))


def sign(value: int) -> int:
    return (value > 0) - (value < 0)


def turned(value: int) -> int:
    """Negate a worth, which shifts rather than mirrors: what is not wonderful need not be awful."""
    return -sign(value)


def strengthened(value: int) -> int:
    return 2 * sign(value)


def outweighed(main: int, side: int) -> int:
    """Weigh a main clause against a side remark: it wins, but suffers from one as strong."""
    return main if abs(main) > abs(side) else sign(main)


def added(one: int, other: int) -> int:
    """Weigh two remarks on a par: the stronger one counts, or neither if they are at odds."""
    return 0 if one * other < 0 else max(one, other, key=abs)
