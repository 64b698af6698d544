"""Proper names. Each part of the data has its own: no name of dev or test occurs in train."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Names:
    women: tuple[str, ...]
    men: tuple[str, ...]
    surnames: tuple[str, ...]
    towns: tuple[str, ...]
    bodies: tuple[str, ...]  # "Harlan" in "Harlan Bank"


def _names(women: str, men: str, surnames: str, towns: str, bodies: str) -> Names:
    return Names(*(tuple(row.split()) for row in (women, men, surnames, towns, bodies)))


TRAIN = _names(
    "Anna Maria Clara Helen Ruth Alice Nora Emma Julia Sarah Laura Diana Eva Rosa Grace",
    "Peter Martin David Simon Paul Robert Hugo Adam Felix Oscar Thomas Victor Leo Frank Henry",
    "Berg Novak Stone Keller Adams Rossi Lund Moreau Silva Wood Fischer Nagy Brook Kowal Hale",
    "Kelling Ashford Norwick Eastmoor Dunley Marsham Holton Wexby Larkford Stenhill",
    "Harlan Linden Crown Ostrow Meridian Alder Falcon Pembry",
)
DEV = _names(
    "Ingrid Petra Yvonne Bianca Miriam Tessa",
    "Gustav Ramon Edgar Walter Niklas Jonas",
    "Hartmann Okafor Petrov Lindqvist Marsh Delgado Byrne Tanaka",
    "Thornby Gaddesley Ravenport Upwick Culmouth",
    "Juniper Sterling Corvin Halcyon",
)
TEST = _names(
    "Sonia Ursula Carmen Agnes Freya Wanda",
    "Dmitri Arthur Bruno Kasper Ivan Gerald",
    "Castellan Ivers Mbeki Schroder Yates Osborne Farkas Lemaire",
    "Brackwell Oxenholt Pellbridge Sandhythe Mirefield",
    "Zenith Rowan Tiberius Garnet",
)
