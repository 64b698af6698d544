"""What a command line lists and a report reads comes without torch, which alone takes a second."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
from importlib import import_module


def light(what):
    assert "torch" not in sys.modules, f"{what}: torch comes with it"


from elmo_core import PLACEMENTS, ElmoCoreError
light("names of elmo_core")
for name in (
    "elmo_core.bilm.options",
    "elmo_core.choices",
    "elmo_core.downloads.glove",
    "elmo_core.downloads.presets",
    "elmo_core.pretraining.settings",
    "bench.report.names",
    "bench.report.compare",
):
    import_module(name)
    light(name)

import tasks
from bench.report.compare import count_functions
for name in tasks.names():
    (kind,) = import_module(f"tasks.{name}").SCORES
    count_functions(f"tasks.{name}.{kind}")
    light(f"counts of {name}")
print("all light")
"""


def test_torch_is_not_imported() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.stdout == "all light\n", done.stderr
