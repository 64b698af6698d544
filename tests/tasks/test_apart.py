"""Each task's folder can be deleted: no other task, and nothing that they share, needs it."""

from __future__ import annotations

import subprocess
import sys

import tasks

# One process for all, since torch takes seconds to import; not this one, whose modules stay whole.
WITHOUT = """
import importlib, pkgutil, sys
import tasks

gone = "nothing yet"

class Deleted:
    def find_spec(self, name, path=None, target=None):
        if (name + ".").startswith(gone):
            raise ModuleNotFoundError(f"{name} was deleted")

sys.meta_path.insert(0, Deleted())
everything = [each.name for each in pkgutil.walk_packages(tasks.__path__, "tasks.")]
for name in sys.argv[1:]:
    gone = f"tasks.{name}."
    for loaded in [each for each in sys.modules if each.startswith("tasks.")]:
        del sys.modules[loaded]
    for module in everything:
        # A peer.py is for another interpreter.
        if not (module + ".").startswith(gone) and not module.endswith(("__main__", ".peer")):
            importlib.import_module(module)
    print(name, *(each for each in sys.modules if each.startswith("tasks.")))
"""


def test_all_else_is_imported_without_it() -> None:
    names = tasks.names()
    call = subprocess.run([sys.executable, "-c", WITHOUT, *names], capture_output=True, text=True)
    assert call.returncode == 0, call.stderr
    loaded = dict(line.split(" ", 1) for line in call.stdout.splitlines())
    assert sorted(loaded) == names
    for name in names:
        modules = set(loaded[name].split())
        assert {f"tasks.{other}.task" for other in names if other != name} <= modules
        assert f"tasks.{name}" not in modules
