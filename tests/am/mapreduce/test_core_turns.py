"""Turns on the cores of a machine, with names and clocks that a test moves; and names of real processes."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable

import pytest

from yarnbox.am.mapreduce.core_turns import (
    HEAD,
    HEAD_WAIT_TURNS,
    MOST_CROWDED,
    QUEUE_WAIT_TURNS,
    REST_S,
    SEAT,
    AbstractSockets,
    CoreTurns,
    NoTurns,
    core_turns,
    run_and_wait_s,
)

TURN_S = 0.1
SEATS = 2


class Machine:
    """Names and clocks; `meanwhile` is done at each pause."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.ran_s = self.waited_s = 0.0
        self.held: set[str] = set()
        self.pauses = 0
        self.meanwhile: Callable[[], object] = lambda: None

    def take(self, name: str) -> Callable[[], object] | None:
        if name in self.held:
            return None
        self.held.add(name)
        return lambda: self.held.remove(name)

    def pause(self, seconds: float) -> None:
        self.now_s += seconds
        self.pauses += 1
        self.meanwhile()

    def compute(self, turns: CoreTurns, seconds: float = TURN_S, share: float = 1.0) -> None:
        """So long a time with that share of a core, and the call after it."""
        self.now_s += seconds
        self.ran_s += share * seconds
        self.waited_s += (1 - share) * seconds
        turns.next()

    def task(self) -> CoreTurns:
        clocks = (lambda: self.now_s), (lambda: (self.ran_s, self.waited_s))
        return CoreTurns(TURN_S, SEATS, self, *clocks, pause=self.pause)


@pytest.fixture
def machine() -> Machine:
    return Machine()


def seat(number: int) -> str:
    return SEAT.format(number)


def test_whoever_is_alone_keeps_a_seat_without_a_pause(machine: Machine) -> None:
    turns = machine.task()
    for _ in range(50):
        machine.compute(turns)
        assert machine.held == {seat(0)}
    assert machine.pauses == 0
    turns.leave()
    assert machine.held == set()


def test_as_many_compute_as_there_are_cores(machine: Machine) -> None:
    one, other = machine.task(), machine.task()
    one.next()
    other.next()
    assert machine.held == {seat(0), seat(1)}


def test_within_a_turn_a_seat_is_kept_though_others_wait(machine: Machine) -> None:
    turns = machine.task()
    turns.next()
    machine.held.add(HEAD)
    machine.compute(turns, TURN_S / 2)
    assert machine.held == {seat(0), HEAD}


def test_a_seat_goes_to_who_waits_for_it_and_comes_back(machine: Machine) -> None:
    turns = machine.task()
    turns.next()
    machine.held |= {HEAD, seat(1)}  # somebody waits
    seen: list[set[str]] = []

    def meanwhile() -> None:
        seen.append(set(machine.held))
        if machine.pauses == 1:  # and takes the seat
            machine.held -= {HEAD}
            machine.held |= {seat(0)}
        elif machine.pauses == 10:
            machine.held -= {seat(0)}

    machine.meanwhile = meanwhile
    machine.compute(turns)
    assert seen[0] == {HEAD, seat(1)}  # it was free for the one who waited
    assert seen[1] == {HEAD, seat(0), seat(1)}  # now this one is the next
    assert machine.pauses == 10
    assert machine.held == {seat(0), seat(1)}


def test_who_sleeps_has_no_seat(machine: Machine) -> None:
    turns = machine.task()
    turns.next()
    machine.now_s += 2 * TURN_S  # nothing is computed
    turns.next()
    assert machine.held == set()
    machine.compute(turns)
    assert machine.held == set()
    machine.compute(turns, REST_S)
    assert machine.held == {seat(0)}


def test_who_has_a_seat_and_hardly_a_core_goes_on_without_after_some_turns(machine: Machine) -> None:
    turns = machine.task()
    turns.next()
    for _ in range(MOST_CROWDED):
        machine.compute(turns, share=0.2)
        assert machine.held == {seat(0)}
    machine.compute(turns, share=0.2)
    assert machine.held == set()
    machine.compute(turns, REST_S)
    assert machine.held == {seat(0)}


def test_one_turn_that_is_not_crowded_begins_the_count_anew(machine: Machine) -> None:
    turns = machine.task()
    turns.next()
    for _ in range(3):
        for _ in range(MOST_CROWDED):
            machine.compute(turns, share=0.2)
        machine.compute(turns, share=0.8)
    assert machine.held == {seat(0)}


def test_when_all_who_have_seats_stand_still_one_goes_on_without(machine: Machine) -> None:
    turns = machine.task()
    machine.held |= {seat(0), seat(1)}
    began_s = machine.now_s
    turns.next()
    assert machine.now_s - began_s == pytest.approx(HEAD_WAIT_TURNS * TURN_S, rel=0.1)
    assert machine.held == {seat(0), seat(1)}
    pauses = machine.pauses
    machine.compute(turns, REST_S / 2)
    assert machine.pauses == pauses


def test_when_the_first_of_those_who_wait_stands_still_one_goes_on_without(machine: Machine) -> None:
    turns = machine.task()
    machine.held |= {HEAD, seat(0)}
    began_s = machine.now_s
    turns.next()
    assert machine.now_s - began_s == pytest.approx(QUEUE_WAIT_TURNS * TURN_S, rel=0.1)
    assert machine.held == {HEAD, seat(0)}


def test_no_turns_are_a_choice() -> None:
    assert isinstance(core_turns(0), NoTurns)


def test_a_name_is_free_again_when_its_holder_is_killed() -> None:
    name = f"yarnbox-test-{uuid.uuid4()}"
    line = (
        "import sys; from yarnbox.am.mapreduce.core_turns import AbstractSockets; "
        f"held = AbstractSockets().take({name!r}); print(held is not None, flush=True); sys.stdin.read()"
    )
    names = AbstractSockets()
    with subprocess.Popen(
        [sys.executable, "-c", line], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        assert names.take(name) is None
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    give_back = names.take(name)
    assert give_back is not None
    assert names.take(name) is None
    give_back()
    again = names.take(name)
    assert again is not None
    again()


def test_who_computes_is_seen_to_run() -> None:
    began_s, _ = run_and_wait_s()
    until_s = time.thread_time() + 0.05
    while time.thread_time() < until_s:
        pass
    now_s, _ = run_and_wait_s()
    assert now_s - began_s > 0.03  # the kernel brings its figures up to date at each tick
