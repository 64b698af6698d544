"""A network of AllenNLP's modules, run by an interpreter that has it, asked over pipes.

    PYTHON allennlp_head.py FILE THREADS    FILE: a task's peer.py (tasks/base/peer.py says what)

It is ready with {"overrides": of our configuration, "difference": what is not the same}; what it
then answers to, `head_steps` says. The file may import `tasks.base.peer`, and nothing else of ours.
"""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from head_steps import serve  # this file's folder is on the path
from stand_ins import Instead
from torch import nn

TASKS = Path(__file__).parents[3] / "tasks"


def main() -> None:
    sys.meta_path.insert(0, Instead())
    package = ModuleType("tasks")  # what lies beside the package stays out of the path
    package.__path__ = [str(TASKS)]
    sys.modules["tasks"] = package
    spec = spec_from_file_location("peer", sys.argv[1])
    assert spec is not None
    assert spec.loader is not None
    peer: Any = module_from_spec(spec)
    spec.loader.exec_module(peer)

    def build(parameters: dict[str, nn.Parameter], request: dict[str, Any]) -> nn.Module:
        network: nn.Module = peer.Network(parameters, request["chosen"])
        return network

    ready = {"overrides": peer.OVERRIDES, "difference": peer.DIFFERENCE}
    serve(build, int(sys.argv[2]), ready, counting={})


if __name__ == "__main__":
    main()
