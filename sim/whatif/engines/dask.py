"""Plays of a study on a Dask cluster, through any `distributed.Client`.

The study goes to the cluster once, by its content, and workers fetch it from one another. A play is a pure
function of it: what a lost worker was at is run again, and gives the same. Dask is imported when it is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from yarnbox.sim.whatif.engines.pool import Done, LostWorkersError
from yarnbox.sim.whatif.study import Case, Played, Study, played
from yarnbox.sim.whatif.variants import InvalidChangeError
from yarnbox.yarn.connection.dask import DaskAddress, DaskUnusableError, connect, distributed

RETRIES = 3


class DaskEngine:
    """The cluster that a client is connected to."""

    def __init__(self, client: Any) -> None:
        """A `distributed.Client`."""
        self._client = client

    @property
    def where(self) -> str:
        return f"{len(self._client.nthreads())} workers of Dask"

    def run(self, study: Study, cases: Sequence[Case], done: Done) -> Mapping[Case, Played]:
        """All cases, in their order."""
        dask = distributed()
        shared = self._client.scatter(study, broadcast=True, hash=False)
        futures = [
            self._client.submit(played, shared, case, key=_key(shared.key, case), retries=RETRIES)
            for case in cases
        ]
        found: dict[Case, Played] = {}
        try:
            for future in dask.as_completed(futures, loop=self._client.loop):
                one: Played = future.result()
                found[one.case] = one
                done(one)
        except dask.KilledWorker as error:
            raise LostWorkersError(f"workers of the cluster died again and again: {error}") from error
        finally:
            self._client.cancel(futures)
        return {case: found[case] for case in cases}


def _key(study: str, case: Case) -> str:
    return f"play-{study}-{case.variant}-{case.seed}"


@contextmanager
def connected(address: DaskAddress) -> Iterator[DaskEngine]:
    """The engine at an address."""
    try:
        client = connect(address)
    except DaskUnusableError as error:
        raise InvalidChangeError(str(error)) from error
    with client:
        yield DaskEngine(client)
