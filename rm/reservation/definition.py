"""Whether a definition makes sense at all, before anything is planned.

Hadoop: ReservationInputValidator.
"""

from __future__ import annotations

from typing import NamedTuple

from yarnbox.yarn.enums import ReservationRequestInterpreter
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.records.reservation import ReservationDefinition, ReservationRequest
from yarnbox.yarn.resources.resource import NONE, Resource, componentwise_max

ANY = ReservationRequestInterpreter.ANY
IN_TURN = (ReservationRequestInterpreter.ORDER, ReservationRequestInterpreter.ORDER_NO_GAP)
MISSING = "Missing reservation definition. Please try again by specifying a reservation definition."
_WANTED_PERIOD = "Please try again with a non-negative long value as period."


class Window(NamedTuple):
    """A span of time."""

    start_ms: int
    end_ms: int

    @property
    def span_ms(self) -> int:
        """How long it is."""
        return self.end_ms - self.start_ms


def window_of(definition: ReservationDefinition) -> Window:
    """From its arrival to its deadline; YarnError where one of them is missing."""
    if definition.arrival is None or definition.deadline is None:
        raise YarnError(MISSING)
    return Window(definition.arrival, definition.deadline)


def interpreter_of(definition: ReservationDefinition) -> ReservationRequestInterpreter:
    """How the stages go together."""
    requests = definition.reservation_requests
    return ReservationRequestInterpreter.ALL if requests is None else requests.interpreter


def stages_of(definition: ReservationDefinition) -> tuple[ReservationRequest, ...]:
    """The stages, in the order given."""
    requests = definition.reservation_requests
    return () if requests is None else requests.reservation_resources


def period_ms_of(definition: ReservationDefinition) -> int:
    """After how long it comes again; 0 for once. YarnError when the text is no such time."""
    text = definition.recurrence_expression.strip()
    try:
        period_ms = int(text or "0")
    except ValueError:
        raise YarnError(f"Invalid period {text}. {_WANTED_PERIOD}") from None
    if period_ms < 0:
        raise YarnError(f"Negative Period : {text}. {_WANTED_PERIOD}")
    return period_ms


def refused(kind: str, message: str) -> YarnError:
    """A planner's no: its text begins with the class of the exception, as Hadoop's clients see it."""
    return YarnError(
        f"org.apache.hadoop.yarn.server.resourcemanager.reservation.exceptions.{kind}: {message}"
    )


def check(
    definition: ReservationDefinition | None, capacity: Resource, now_ms: int, max_period_ms: int
) -> ReservationDefinition:
    """YarnError with the first thing that is wrong with it."""
    if definition is None:
        raise YarnError(MISSING)
    window = window_of(definition)
    if window.end_ms <= now_ms:
        raise YarnError(
            f"The specified deadline: {window.end_ms} is the past. Please try again with "
            "deadline in the future."
        )
    stages = stages_of(definition)
    if not stages:
        raise YarnError(
            "No resources have been specified to reserve. Please try again by specifying the resources "
            "to reserve."
        )
    interpreter = interpreter_of(definition)
    durations = [stage.duration for stage in stages]
    shortest_ms = sum(durations) if interpreter in IN_TURN else max(durations)
    if interpreter is not ANY and window.span_ms < shortest_ms:
        raise YarnError(
            f"The time difference ({window.span_ms}) between arrival ({window.start_ms}) and deadline "
            f"({window.end_ms}) must  be greater or equal to the minimum resource duration "
            f"({shortest_ms})"
        )
    largest = NONE
    for stage in stages:
        largest = componentwise_max(largest, (stage.capability or NONE) * max(stage.concurrency, 0))
    if interpreter is not ANY and not largest.fits_in(capacity):
        raise YarnError(
            f"The size of the largest gang in the reservation definition ({largest}) exceed the capacity "
            f"available ({capacity} )"
        )
    _check_period(definition, window.span_ms, max_period_ms)
    return definition


def _check_period(definition: ReservationDefinition, window_ms: int, max_period_ms: int) -> None:
    period_ms = period_ms_of(definition)
    if period_ms == 0:
        return
    if window_ms > period_ms:
        raise YarnError(
            f"Duration of the requested reservation: {window_ms} is greater than the recurrence: "
            f"{period_ms}. Please try again with a smaller duration."
        )
    if max_period_ms % period_ms:
        raise YarnError(
            f"The maximum periodicity: {max_period_ms} must be divisible by the recurrence "
            f"expression provided: {period_ms}. Please try again with a recurrence expression that satisfies "
            "this requirement."
        )


def check_stage(stage: ReservationRequest) -> None:
    """YarnError when the stage cannot be placed anywhere at any time."""
    if stage.concurrency < 1:
        raise refused("ContractValidationException", "Gang Size should be >= 1")
    if stage.num_containers <= 0:
        raise refused("ContractValidationException", "Num containers should be > 0")
    if stage.num_containers % stage.concurrency:
        raise refused("ContractValidationException", "Parallelism must be an exact multiple of gang size")
