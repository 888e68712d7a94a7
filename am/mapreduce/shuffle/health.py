"""When a reduce stops fetching: many outputs fail, half of all tries fail, and too little came lately.

Hadoop: ShuffleSchedulerImpl.checkReducerHealth. It knows no clock: moments are told in milliseconds.
"""

from __future__ import annotations

_MOST_FAILING = 5
"""MAX_FAILED_UNIQUE_FETCHES, in jobs with so many maps or more."""


class FetchHealth:
    """What became of the tries of one reduce to fetch."""

    def __init__(self, maps: int, begun_ms: float) -> None:
        self._maps = maps
        self._begun_ms = begun_ms
        self._progress_ms = begun_ms
        self._longest_map_ms = 0
        self._failures = 0
        self._failing: dict[str, None] = {}

    def learn(self, map_run_time_ms: int) -> None:
        """A map took so long: before half of the longest is over a reduce has not stalled."""
        self._longest_map_ms = max(self._longest_map_ms, map_run_time_ms)

    def copied(self, attempt: str, now_ms: float) -> None:
        """An output is here."""
        self._failing.pop(attempt, None)
        self._progress_ms = now_ms

    def failed(self, attempt: str, done: int, now_ms: float) -> bool:
        """An output did not come, while so many are here; whether to give up. The judgement is of the tries
        before this one, as in Hadoop: without any, a reduce that has nothing is not healthy.
        """
        self._failing[attempt] = None
        is_hopeless = (
            self._fails_widely(done)
            and self._failures >= done
            and (2 * done < self._maps or self._is_stalled(now_ms))
        )
        self._failures += 1
        return is_hopeless

    def _fails_widely(self, done: int) -> bool:
        failing = len(self._failing)
        return failing >= min(self._maps, _MOST_FAILING) or failing == self._maps - done

    def _is_stalled(self, now_ms: float) -> bool:
        stalled_ms = now_ms - self._progress_ms
        shortest_ms = max(self._progress_ms - self._begun_ms, self._longest_map_ms)
        return stalled_ms > 0 and 2 * stalled_ms >= shortest_ms
