"""What a simulation from the page may do: simulate."""

from __future__ import annotations

import os

import pytest

from cluster.viewer.worker import ForbiddenError, forbid, simulate
from tests.cluster.viewer.conftest import TEXT


def test_a_recording_or_the_problems() -> None:
    assert simulate(TEXT, "x.yaml", "")["recording"].startswith('{"format":"yarnbox-recording"')
    assert simulate("name: bad\nsteps: [{sleep: 1}]\n", "x.yaml", "")["problems"][0].startswith(
        "x.yaml:2: unknown"
    )
    (why,) = simulate(TEXT.replace("b.capacity: 50", "b.capacity: 70"), "x.yaml", "")["problems"]
    assert why.startswith("x.yaml: ")
    assert "Illegal capacity sum of 1.2" in why


@pytest.mark.parametrize(
    "event, arguments",
    [
        ("socket.connect", (None, ("127.0.0.1", 80))),
        ("subprocess.Popen", ("sh", [], None, None)),
        ("os.system", (b"true",)),
        ("os.remove", ("x", -1)),
        ("open", ("x", "w", os.O_WRONLY | os.O_CREAT)),
    ],
)
def test_it_does_not_touch_the_world(event: str, arguments: tuple[object, ...]) -> None:
    with pytest.raises(ForbiddenError, match=event):
        forbid(event, arguments)


def test_it_may_read_and_import() -> None:
    forbid("open", ("x", "r", os.O_RDONLY | os.O_CLOEXEC))
    forbid("import", ("json", None, None, None, None))
