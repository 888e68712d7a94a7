"""Where in its window a request fits: packed to one side, or spread evenly over it.

Pure: what is free is handed in as a profile, the allocation comes back as one. Hadoop: IterativePlanner,
StageAllocatorGreedyRLE, StageAllocatorLowCostAligned, GreedyReservationAgent and AlignedPlannerWithGreedy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from yarnbox.rm.reservation.definition import ANY, IN_TURN, check_stage, interpreter_of, refused, stages_of
from yarnbox.rm.reservation.profile import Piece, Profile
from yarnbox.rm.scheduler.calculator import Calculator
from yarnbox.yarn.enums import ReservationRequestInterpreter
from yarnbox.yarn.records.reservation import ReservationDefinition, ReservationRequest
from yarnbox.yarn.resources.resource import NONE, Resource

UNSATISFIABLE = "The request cannot be satisfied"


class Window(NamedTuple):
    """A span of time."""

    start_ms: int
    end_ms: int

    @property
    def span_ms(self) -> int:
        """How long it is."""
        return self.end_ms - self.start_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What a request is planned on. `room` is what is free, `load` what others hold, within the window."""

    room: Profile
    load: Profile
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
    weight: int


Placer = Callable[[Ground, _Stage, Window, Profile], Profile | None]


def place(definition: ReservationDefinition, ground: Ground, *, is_aligned: bool) -> Profile:
    """The allocation, spread evenly or packed to one side; YarnError when there is none."""
    found = _place(definition, ground, _place_aligned if is_aligned else _place_greedy, is_aligned=is_aligned)
    if found is None:
        raise refused("PlanningException", UNSATISFIABLE)
    return found


def _place(
    definition: ReservationDefinition, ground: Ground, placer: Placer, *, is_aligned: bool
) -> Profile | None:
    assert definition.arrival is not None
    assert definition.deadline is not None
    step_ms = ground.step_ms
    window = Window(-(-definition.arrival // step_ms) * step_ms, definition.deadline // step_ms * step_ms)
    interpreter = interpreter_of(definition)
    requests = stages_of(definition)
    if not ground.is_early:
        requests = requests[::-1]
    taken, last_end = Profile(), window
    for index, request in enumerate(requests):
        check_stage(request, ground.largest_container)
        stage = _stage(request, step_ms)
        own = last_end if interpreter in IN_TURN else window
        if is_aligned and interpreter in IN_TURN:
            own = _own_part(stage, [_stage(each, step_ms) for each in requests[index:]], own, ground)
        found = placer(ground, stage, own, taken)
        if found is None:
            if interpreter is ANY:
                continue
            return None
        if interpreter is ANY:
            return found
        if interpreter is ReservationRequestInterpreter.ORDER_NO_GAP:
            _check_gap(found, last_end, is_first=index == 0, is_early=ground.is_early)
        taken = taken + found
        last_end = (
            Window(found.end_ms(), window.end_ms)
            if ground.is_early
            else Window(window.start_ms, found.start_ms())
        )
    return taken or None


def _stage(request: ReservationRequest, step_ms: int) -> _Stage:
    capability = request.capability or NONE
    duration_ms = -(-request.duration // step_ms) * step_ms
    return _Stage(
        capability * request.concurrency,
        request.num_containers // request.concurrency,
        duration_ms,
        duration_ms * capability.memory_mb * request.num_containers,
    )


def _own_part(stage: _Stage, remaining: Sequence[_Stage], left: Window, ground: Ground) -> Window:
    """The part of what is left of the window that a stage in a row of stages may use."""
    spare_ms = left.span_ms - sum(each.duration_ms for each in remaining)
    weights = sum(each.weight for each in remaining)
    extra_ms = spare_ms * stage.weight // weights if weights else 0
    length_ms = (stage.duration_ms + extra_ms) // ground.step_ms * ground.step_ms
    if ground.is_early:
        return Window(left.start_ms, min(left.start_ms + length_ms, left.end_ms))
    return Window(max(left.end_ms - length_ms, left.start_ms), left.end_ms)


def _check_gap(found: Profile, left: Window, *, is_first: bool, is_early: bool) -> None:
    """Each stage in one block, and each block at the end of the one before."""
    is_broken = any(not piece.amount for piece in found.within(found.start_ms(), found.end_ms()))
    begins = found.start_ms() == left.start_ms if is_early else found.end_ms() == left.end_ms
    if is_broken or not (is_first or begins):
        raise refused("PlanningException", "The allocation found does not respect ORDER_NO_GAP")


def _gangs_in(ground: Ground, stage: _Stage, start_ms: int, taken: Profile, room: Profile) -> tuple[int, int]:
    """How many gangs fit from that moment on, and the last moment at which no more do."""
    fewest, moment_ms = -1, start_ms
    free = room.combined(taken, lambda one, other: one - other) if taken else room
    for piece in free.within(start_ms, start_ms + stage.duration_ms):
        is_short = piece.amount.is_negative()
        count = 0 if is_short else ground.calculator.container_count(piece.amount, stage.gang)
        if fewest < 0 or count <= fewest:
            fewest, moment_ms = count, piece.start_ms
    return fewest, moment_ms


def _place_greedy(ground: Ground, stage: _Stage, window: Window, taken: Profile) -> Profile | None:
    """All gangs as near to one side of the window as they fit."""
    if ground.is_early:
        return _pack(ground, stage, window, taken, ground.room)
    backwards = Window(-window.end_ms, -window.start_ms)
    found = _pack(ground, stage, backwards, taken.mirrored(), ground.room.mirrored())
    return found.mirrored() if found is not None else None


def _pack(ground: Ground, stage: _Stage, window: Window, taken: Profile, room: Profile) -> Profile | None:
    moment_ms, gangs, found = window.start_ms, stage.gangs, Profile()
    while gangs > 0 and moment_ms + stage.duration_ms <= window.end_ms:
        end_ms = moment_ms + stage.duration_ms
        count, narrowest_ms = _gangs_in(ground, stage, moment_ms, taken + found, room)
        count = min(count, gangs)
        if count > 0:
            found = found + Profile.of([Piece(moment_ms, end_ms, stage.gang * count)])
            gangs -= count
        changes = sorted((*room.points(), *(taken + found).points()))
        later = (point for point in changes if point > narrowest_ms)
        moment_ms = min(next(later, end_ms), end_ms)
    return found if gangs == 0 else None


def _place_aligned(ground: Ground, stage: _Stage, window: Window, taken: Profile) -> Profile | None:
    """The gangs spread over slots of the stage's duration, the cheapest slot first."""
    slots = list(_slots(stage, window, is_early=ground.is_early))
    if not slots:
        return None
    unit = max(max(stage.gangs // len(slots), 1) // ground.smoothness, 1)
    gangs, found = stage.gangs, Profile()
    while gangs > 0:
        fitting = [
            (_cost(ground, slot, taken + found), number, slot, room)
            for number, slot in enumerate(slots)
            if (room := _gangs_in(ground, stage, slot.start_ms, taken + found, ground.room)[0]) > 0
        ]
        if not fitting:
            return None
        _, _, slot, room = min(fitting)
        count = min(unit, gangs, room)
        found = found + Profile.of([Piece(slot.start_ms, slot.end_ms, stage.gang * count)])
        gangs -= count
        if _is_overdrawn(ground, slot, taken + found):
            return None
    return found


def _is_overdrawn(ground: Ground, slot: Window, taken: Profile) -> bool:
    """Whether more is taken than is free, of a type that the calculator does not look at: so in Hadoop."""
    free = ground.room.combined(taken, lambda one, other: one - other)
    return any(not NONE.fits_in(piece.amount) for piece in free.within(slot.start_ms, slot.end_ms))


def _slots(stage: _Stage, window: Window, *, is_early: bool) -> Iterator[Window]:
    """Consecutive intervals of the stage's duration, from the side that is favoured."""
    for number in range(window.span_ms // stage.duration_ms if stage.duration_ms else 0):
        if is_early:
            start_ms = window.start_ms + number * stage.duration_ms
        else:
            start_ms = window.end_ms - (number + 1) * stage.duration_ms
        yield Window(start_ms, start_ms + stage.duration_ms)


def _cost(ground: Ground, slot: Window, taken: Profile) -> float:
    """The load of the plan over the slot, as a share of its capacity."""
    load = ground.load + taken if taken else ground.load
    return sum(
        ground.calculator.divide(ground.capacity, piece.amount, ground.capacity)
        * (piece.end_ms - piece.start_ms)
        for piece in load.within(slot.start_ms, slot.end_ms)
    )
