"""What CoNLL-2012's English part of OntoNotes is, for the tasks that read it."""

from __future__ import annotations

DOCUMENTS = {"train": 2_802, "dev": 343, "test": 348}  # parts of documents
SENTENCES = {"train": 75_187, "dev": 9_603, "test": 9_479}
TOKENS = {"train": 1_299_312, "dev": 163_104, "test": 169_579}

NAME = "conll2012"
TITLE = "OntoNotes 5 in the split of CoNLL-2012, English"
ORIGIN = "https://catalog.ldc.upenn.edu/LDC2013T19"
VERSION = "OntoNotes 5.0, CoNLL-2012 v4 (test: v9)"
LICENCE = "LDC user agreement"
OBTAIN = (
    "OntoNotes 5.0 comes from the LDC (LDC2013T19); the scripts of https://conll.cemantix.org/2012 "
    "make the folders train, development and conll-2012-test of *gold_conll files from it"
)
