"""Where in its window a request fits: packed to one side, or spread evenly over it.

Pure: what is free is handed in, the allocation comes back as a profile. Hadoop: IterativePlanner,
StageAllocatorGreedyRLE, StageAllocatorLowCostAligned, GreedyReservationAgent and AlignedPlannerWithGreedy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from yarnbox.rm.reservation.definition import (
    ANY,
    IN_TURN,
    Window,
    check_stage,
    interpreter_of,
    refused,
    stages_of,
    window_of,
)
from yarnbox.rm.reservation.profile import Piece, Profile
from yarnbox.rm.reservation.timeline import Timeline
from yarnbox.rm.scheduler.calculator import Calculator
from yarnbox.yarn.enums import ReservationRequestInterpreter
from yarnbox.yarn.records.reservation import ReservationDefinition, ReservationRequest
from yarnbox.yarn.resources.resource import NONE, Resource

UNSATISFIABLE = "The request cannot be satisfied"
OVERBOOKED = "The plan holds more than its capacity within the window of the request"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What a request is planned on. `available` is what is free over a window, and a YarnError where nothing
    can be planned; `load` is what others hold.
    """

    available: Callable[[Window], Timeline]
    load: Callable[[Window], Timeline]
    capacity: Resource
    largest_container: Resource
    step_ms: int
    is_early: bool
    smoothness: int
    calculator: Calculator


class _Stage(NamedTuple):
    gang: Resource
    gangs: int
    duration_ms: int
    """In whole steps."""
    asked_ms: int
    weight: float


Placer = Callable[[Ground, _Stage, Window, Timeline, Timeline], list[Piece] | None]
"""Finds the intervals of one stage, which may overlap; None when there are none."""


def place(definition: ReservationDefinition, ground: Ground, *, is_aligned: bool) -> Profile:
    """The allocation, spread evenly or packed to one side; YarnError when there is none."""
    found = _place(definition, ground, _place_aligned if is_aligned else _place_greedy, is_aligned=is_aligned)
    if found is None:
        raise refused("PlanningException", UNSATISFIABLE)
    return found


def _place(
    definition: ReservationDefinition, ground: Ground, placer: Placer, *, is_aligned: bool
) -> Profile | None:
    step_ms = ground.step_ms
    start_ms, end_ms = window_of(definition)
    window = Window(-(-start_ms // step_ms) * step_ms, end_ms // step_ms * step_ms)
    interpreter = interpreter_of(definition)
    requests = stages_of(definition)
    if not ground.is_early:
        requests = requests[::-1]
    taken, last_end, load = Timeline(), window, ground.load(window)
    for index, request in enumerate(requests):
        check_stage(request)
        _check_size(request, ground)
        stage = _stage(request, step_ms)
        own = last_end if interpreter in IN_TURN else window
        if is_aligned and interpreter in IN_TURN:
            own = _own_part(stage, [_stage(each, step_ms) for each in requests[index:]], own, ground)
        intervals = placer(ground, stage, own, load, taken)
        if intervals is None:
            if interpreter is ANY:
                continue
            return None
        found = Profile.of(intervals)
        if interpreter is ANY:
            return found
        if interpreter is ReservationRequestInterpreter.ORDER_NO_GAP:
            is_next = (
                found.start_ms() == last_end.start_ms
                if ground.is_early
                else found.end_ms() == last_end.end_ms
            )
            if not _is_one_block(intervals) or not (index == 0 or is_next):
                raise refused("PlanningException", "The allocation found does not respect ORDER_NO_GAP")
        for piece in intervals:
            taken = taken.with_piece(piece)
        last_end = (
            Window(found.end_ms(), window.end_ms)
            if ground.is_early
            else Window(window.start_ms, found.start_ms())
        )
    return Profile.of(taken.profile().pieces()) or None


def difference(one: Resource, two: Resource) -> Resource:
    """What is left; YarnError where that is less than nothing, of any type."""
    if not two.fits_in(one):
        raise refused("PlanningException", OVERBOOKED)
    return one - two


def _check_size(request: ReservationRequest, ground: Ground) -> None:
    """YarnError when a container of the stage is larger than any may be."""
    if ground.calculator.compare(ground.capacity, request.capability or NONE, ground.largest_container) > 0:
        raise refused(
            "ContractValidationException",
            "Individual capability requests should not exceed cluster's maxAlloc",
        )


def _stage(request: ReservationRequest, step_ms: int) -> _Stage:
    capability = request.capability or NONE
    duration_ms = -(-request.duration // step_ms) * step_ms
    return _Stage(
        capability * request.concurrency,
        request.num_containers // request.concurrency,
        duration_ms,
        request.duration,
        float(request.duration * capability.memory_mb * request.num_containers),
    )


def _own_part(stage: _Stage, remaining: Sequence[_Stage], left: Window, ground: Ground) -> Window:
    """The part of what is left of the window that a stage in a row of stages may use."""
    weights = sum(each.weight for each in reversed(remaining))
    extra_ms = left.span_ms - sum(each.duration_ms for each in remaining)
    ratio = stage.weight / weights if weights else 0.0
    if ground.is_early:
        end_ms = int(left.start_ms + stage.duration_ms + extra_ms * ratio)
        return Window(left.start_ms, end_ms // ground.step_ms * ground.step_ms)
    start_ms = int(left.end_ms - stage.duration_ms - extra_ms * ratio)
    return Window(-(-start_ms // ground.step_ms) * ground.step_ms, left.end_ms)


def _is_one_block(intervals: Iterable[Piece]) -> bool:
    """Whether each interval begins where another ends: only the first and the last end are met once."""
    ends: dict[int, None] = {}
    for piece in intervals:
        for moment_ms in (piece.start_ms, piece.end_ms):
            if moment_ms in ends:
                del ends[moment_ms]
            else:
                ends[moment_ms] = None
    return len(ends) == 2


def _count(ground: Ground, free: Resource, gang: Resource) -> int:
    """How many gangs fit, as the calculator divides: by DRF the largest shares count, of whatever types they
    are.
    """
    return math.floor(ground.calculator.divide(ground.capacity, free, gang))


def _gangs_in(ground: Ground, gang: Resource, pieces: Iterable[Piece], start_ms: int) -> tuple[int, int]:
    """How many gangs fit in all the pieces, and the last moment at which no more do."""
    fewest, moment_ms = -1, start_ms
    for index, piece in enumerate(pieces):
        count = _count(ground, piece.amount, gang)
        if index == 0 or count <= fewest:
            fewest, moment_ms = count, piece.start_ms
        if fewest <= 0:
            break
    return fewest, moment_ms


def _place_greedy(
    ground: Ground, stage: _Stage, window: Window, load: Timeline, taken: Timeline
) -> list[Piece] | None:
    """All gangs as near to one side of the window as they fit."""
    if window.start_ms + stage.asked_ms > window.end_ms:
        return None
    free = ground.available(window).minus(taken, *window).profile(window.end_ms)
    if ground.is_early:
        return _pack(ground, stage, window, free)
    found = _pack(ground, stage, Window(-window.end_ms, -window.start_ms), free.mirrored())
    return None if found is None else [Piece(-end_ms, -start_ms, it) for start_ms, end_ms, it in found]


def _pack(ground: Ground, stage: _Stage, window: Window, free: Profile) -> list[Piece] | None:
    """What the stage itself has taken already is not looked at, nor, from right to left, that the piece next
    to an interval is not part of it: so in Hadoop.
    """
    moment_ms, gangs = window.start_ms, stage.gangs
    found: list[Piece] = []
    beyond_ms = 0 if ground.is_early else 1
    while gangs > 0 and moment_ms + stage.duration_ms <= window.end_ms:
        end_ms = moment_ms + stage.duration_ms
        pieces = free.within(moment_ms, min(end_ms + beyond_ms, window.end_ms))
        count, narrowest_ms = _gangs_in(ground, stage.gang, pieces, moment_ms)
        count = min(count, gangs)
        if count > 0:
            found.append(Piece(moment_ms, end_ms, stage.gang * count))
            gangs -= count
        later = (point for point in free.points() if point > narrowest_ms)
        moment_ms = min(next(later, end_ms), end_ms)
    return found if gangs == 0 else None


def _place_aligned(
    ground: Ground, stage: _Stage, window: Window, load: Timeline, taken: Timeline
) -> list[Piece] | None:
    """The gangs spread over slots of the stage's duration, the cheapest slot first."""
    free = ground.available(window)
    slots = list(_slots(stage, window, is_early=ground.is_early))
    if not slots:
        return None
    unit = max(max(stage.gangs // len(slots), 1) // ground.smoothness, 1)
    gangs, found = stage.gangs, Timeline()
    known = [(_cost(ground, slot, load, taken), number, slot) for number, slot in enumerate(slots)]
    fitting = [each for each in known if _room_in(ground, stage, each[2], free, taken) > 0]
    while gangs > 0:
        if not fitting:
            return None
        cheapest = min(fitting)
        fitting.remove(cheapest)
        _, number, slot = cheapest
        count = min(unit, gangs, _room_in(ground, stage, slot, free, taken))
        piece = Piece(slot.start_ms, slot.end_ms, stage.gang * count)
        found, taken = found.with_piece(piece), taken.with_piece(piece)
        gangs -= count
        if _room_in(ground, stage, slot, free, taken) > 0:
            fitting.append((_cost(ground, slot, load, taken), number, slot))
    return list(found.profile().pieces())


def _room_in(ground: Ground, stage: _Stage, slot: Window, free: Timeline, taken: Timeline) -> int:
    """How many gangs more fit in the slot; YarnError where more is taken than is free, of a type that the
    calculator does not look at: so in Hadoop.
    """
    left = free.joined(taken, difference, *slot)
    amounts = (amount or NONE for point, amount in left.items() if point < slot.end_ms)
    return min(_count(ground, amount, stage.gang) for amount in amounts)


def _slots(stage: _Stage, window: Window, *, is_early: bool) -> Iterator[Window]:
    """Consecutive intervals of the stage's duration, from the side that is favoured."""
    for number in range(window.span_ms // stage.duration_ms if stage.duration_ms else 0):
        if is_early:
            start_ms = window.start_ms + number * stage.duration_ms
        else:
            start_ms = window.end_ms - (number + 1) * stage.duration_ms
        yield Window(start_ms, start_ms + stage.duration_ms)


def _cost(ground: Ground, slot: Window, load: Timeline, taken: Timeline) -> float:
    """The load of the plan over the slot, as a share of its capacity."""
    points = [*load.plus(taken, *slot).items(), (slot.end_ms, None)]
    cost = 0.0
    for (start_ms, amount), (end_ms, _) in pairwise(points):
        if amount is not None:
            share = ground.calculator.ratio(amount, ground.capacity)
            cost += share * (end_ms - max(start_ms, slot.start_ms)) / ground.step_ms
    return cost
