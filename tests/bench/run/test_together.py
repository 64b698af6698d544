"""The end of another process of a run: one line of the first one, none of the others."""

import pytest
from torch import distributed

from bench.errors import RunError
from bench.run.together import explained

LOST = [
    RuntimeError("[/gloo/transport/tcp/pair.cc:553] Connection closed by peer [127.0.0.1]:51118."),
    RuntimeError("[/gloo/transport/tcp/pair.cc:537] Read error: Connection reset by peer."),
    distributed.DistBackendError("NCCL error: remote process exited"),
]


@pytest.mark.parametrize("error", LOST, ids=str)
def test_the_first_process_says_in_a_line_that_another_has_ended(error: RuntimeError) -> None:
    ended = pytest.raises(RunError, match="another process of this run has ended")
    with ended, explained(first=True):
        raise error


@pytest.mark.parametrize("error", LOST, ids=str)
def test_the_others_end_without_a_word(error: RuntimeError) -> None:
    with pytest.raises(SystemExit), explained(first=False):
        raise error


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("shapes do not match"),
        distributed.DistNetworkError("The server socket: EADDRINUSE, address already in use"),
        distributed.DistBackendError("NCCL error: invalid usage, Duplicate GPU detected"),
    ],
    ids=str,
)
def test_another_error_stays_one(error: RuntimeError) -> None:
    with pytest.raises(type(error), match=str(error)[:9]), explained(first=True):
        raise error
