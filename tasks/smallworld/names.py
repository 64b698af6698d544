"""Proper names. Each part of the data has its own: no name of dev or test occurs in train.

They are names that English texts are full of, and nothing around a name need say what it names:
whether somebody admired a person, a town or an organisation is for the reader to know.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Names:
    women: tuple[str, ...]
    men: tuple[str, ...]
    surnames: tuple[str, ...]
    towns: tuple[str, ...]
    bodies: tuple[str, ...]  # "Harlan" in "Harlan Bank"
    brands: tuple[str, ...]  # organisations that need no noun: "Siemens"


def _names(*rows: str) -> Names:
    return Names(*(tuple(row.split()) for row in rows))


TRAIN = _names(
    "Anna Maria Clara Helen Ruth Alice Nora Emma Julia Sarah Laura Diana Eva Rosa Grace Lucy Jane "
    "Susan Linda Karen Nancy Betty Emily Rebecca Sharon Cynthia Kathleen Amy Angela Brenda",
    "Peter Martin David Simon Paul Robert Hugo Adam Felix Oscar Thomas Victor Leo Frank Henry "
    "James John Michael William Richard Joseph Charles Daniel Matthew Anthony Mark Steven Andrew "
    "Kenneth George",
    "Berg Novak Stone Keller Adams Rossi Lund Moreau Silva Wood Fischer Nagy Brook Kowal Hale "
    "Smith Johnson Williams Brown Jones Garcia Miller Davis Wilson Anderson Taylor Moore Jackson "
    "Thompson White Harris Clark Lewis Robinson Walker",
    "London Chicago Berlin Madrid Toronto Vienna Sydney Boston Moscow Cairo Dallas Milan Glasgow "
    "Athens Seattle Munich Lisbon Delhi Prague Houston Dublin Leeds Naples Montreal Kyoto",
    "Harlan Linden Crown Ostrow Meridian Alder Falcon Pembry Atlas Royal National Pacific",
    "Siemens Toyota Microsoft Chelsea Reuters Nokia Boeing Sony Google Arsenal Pfizer Honda Disney "
    "Shell Vodafone Barclays",
)
DEV = _names(
    "Ingrid Petra Yvonne Bianca Miriam Tessa Margaret Dorothy Jessica Hannah Olivia Sophie",
    "Gustav Ramon Edgar Walter Niklas Jonas Patrick Samuel Benjamin Timothy Gregory Philip",
    "Hartmann Okafor Petrov Lindqvist Marsh Delgado Byrne Tanaka Mitchell Campbell Parker Evans "
    "Stewart Sanchez Morris Rogers",
    "Paris Tokyo Denver Oslo Manchester Barcelona Melbourne Warsaw Detroit Bombay Baltimore Geneva",
    "Juniper Sterling Corvin Halcyon Imperial Continental",
    "Volkswagen Intel Liverpool Bloomberg Ericsson Airbus Amazon Nestle",
)
TEST = _names(
    "Sonia Ursula Carmen Agnes Freya Wanda Elizabeth Catherine Victoria Charlotte Martha Amanda",
    "Dmitri Arthur Bruno Kasper Ivan Gerald Christopher Edward Alexander Jonathan Raymond Douglas",
    "Castellan Ivers Mbeki Schroder Yates Osborne Farkas Lemaire Phillips Turner Edwards Collins "
    "Murphy Cooper Bailey Reed",
    "Rome Beijing Atlanta Stockholm Birmingham Hamburg Brisbane Budapest Philadelphia Calcutta "
    "Edinburgh Venice",
    "Zenith Rowan Tiberius Garnet Universal Federal",
    "Philips Samsung Everton Facebook Motorola Lockheed Netflix Unilever",
)
