"""When does one statement settle another? Four yes-or-no questions, closed under negation.

The relations are those of natural logic (MacCartney and Manning 2009), each written as the four
bits that decide it, so that negating either side is a mere exchange of bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

ENTAILMENT, NEUTRAL, CONTRADICTION = "entailment", "neutral", "contradiction"
LABELS = (ENTAILMENT, NEUTRAL, CONTRADICTION)


class Relation(NamedTuple):
    forward: bool  # the premise implies the hypothesis
    backward: bool  # the hypothesis implies the premise
    clash: bool  # they cannot both hold
    cover: bool  # one of them must hold

    def negate_premise(self) -> Relation:
        return Relation(self.cover, self.clash, self.backward, self.forward)

    def negate_hypothesis(self) -> Relation:
        return Relation(self.clash, self.cover, self.forward, self.backward)


SAME = Relation(True, True, False, False)
NARROWER = Relation(True, False, False, False)
WIDER = Relation(False, True, False, False)
APART = Relation(False, False, True, False)
OPPOSITE = Relation(False, False, True, True)
UNRELATED = Relation(False, False, False, False)


def join(relations: Sequence[Relation]) -> Relation | None:
    """Relate two statements whose parts are so related; None when people would argue.

    One clashing part makes the statements clash if all else is given: they speak of one event.
    """
    clashing = [r for r in relations if r.clash]
    others = [r for r in relations if not r.clash]
    if len(clashing) > 1 or (clashing and not all(r.forward for r in others)):
        return None
    return Relation(
        forward=all(r.forward for r in relations),
        backward=all(r.backward for r in relations),
        clash=bool(clashing),
        cover=any(r.cover for r in clashing) and all(r == SAME for r in others),
    )


def label(subject: Relation, rest: Relation, negations: tuple[bool, bool]) -> str | None:
    """Label a pair; `negations` are the premise's and the hypothesis's. None if unclear.

    The subject stands outside the negation: "a singer did not laugh" speaks of some singer.
    """
    if negations[1]:
        rest = rest.negate_hypothesis()
    if negations[0]:
        rest = rest.negate_premise()
    if subject.clash:
        return CONTRADICTION if rest.forward and not any(negations) else None
    if rest.clash:
        return CONTRADICTION if subject.forward else None
    return ENTAILMENT if subject.forward and rest.forward else NEUTRAL
