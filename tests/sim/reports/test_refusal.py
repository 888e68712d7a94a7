"""How commands end whose input, or a file of it, is of no use."""

from __future__ import annotations

import errno
from io import StringIO

import pytest

from yarnbox.sim.load.jobs import InvalidTraceError
from yarnbox.sim.reports.refusal import INVALID, status_of


def raising(error: Exception) -> int:
    raise error


def test_a_command_that_can_be_carried_out_keeps_its_status() -> None:
    err = StringIO()
    assert status_of(lambda: 3, (InvalidTraceError,), err) == 3
    assert err.getvalue() == ""


def test_what_is_refused_is_one_line_and_what_was_found_until_then() -> None:
    err, error = StringIO(), InvalidTraceError("jobs.json:3: no name")
    error.add_note("saved: 12 applications")
    assert status_of(lambda: raising(error), (InvalidTraceError,), err) == INVALID
    assert err.getvalue() == "yarnbox: jobs.json:3: no name\nsaved: 12 applications\n"


def test_a_file_that_cannot_be_had_is_named() -> None:
    err, error = StringIO(), PermissionError(errno.EACCES, "Permission denied", "/data/jobs.json")
    assert status_of(lambda: raising(error), (), err) == INVALID
    assert err.getvalue() == "yarnbox: /data/jobs.json: Permission denied\n"


def test_a_full_disk_below_what_is_printed_is_no_fault_of_the_input() -> None:
    with pytest.raises(OSError, match="No space left"):
        status_of(lambda: raising(OSError(errno.ENOSPC, "No space left on device")), (), StringIO())
