"""What each step changes, as lines for people: applications by what they have, queues by their shares.

A line for each that is another than before: first when it was, and the step; then who, and how it stands now.
"""

from __future__ import annotations

from typing import TextIO

from yarnbox.rm.web import past
from yarnbox.sim.scenario.playing.player import Player
from yarnbox.sim.scenario.playing.world import App
from yarnbox.sim.scenario.reading.steps import NO_LINE, Step
from yarnbox.yarn.records.node import DEFAULT_PARTITION

_RUNNING = "RUNNING"


class Following:
    """One play, being told step by step."""

    def __init__(self, player: Player, out: TextIO) -> None:
        self._player, self._out = player, out
        self._shown: dict[str, str] = {}
        self._number = 0
        player.after_step.append(self._note)

    def _note(self, step: Step) -> None:
        if step.line == NO_LINE:
            return
        self._number += 1
        world = self._player.world
        now = {name: self._of_app(app) for name, app in world.apps.items()} | self._of_queues()
        changed = {name: said for name, said in now.items() if self._shown.get(name) != said}
        self._shown = now
        at_s = (world.rm.context.now_ms - world.rm.start_ms) / 1000
        head = f"{at_s:6.1f} s  step {self._number} {step.verb}"
        for name, said in changed.items():
            print(f"{head:32}  {name:12}  {said}", file=self._out)
            head = ""

    def _of_app(self, app: App) -> str:
        rm = self._player.world.rm
        found = rm.context.scheduler.applications.get(app.application_id)
        known = rm.context.apps.get(app.application_id)
        state = known.state.name if known is not None else "refused"
        words = [] if state == _RUNNING else [state]
        attempt = found.attempt if found is not None else None
        if attempt is not None:
            reserved = sum(len(nodes) for nodes in attempt.reserved.values())
            pending = sum(one.pending_containers for one in attempt.usage.by_partition.values())
            count = len(attempt.live)
            words.append(f"{count} container{'' if count == 1 else 's'}")
            words += [f"{pending} pending"] * bool(pending)
            words += [f"{reserved} reserved"] * bool(reserved)
            words += [f"{len(attempt.marked_for_preemption)} marked"] * bool(attempt.marked_for_preemption)
            words += [f"{attempt.preempted_count} preempted"] * bool(attempt.preempted_count)
        return ", ".join(words)

    def _of_queues(self) -> dict[str, str]:
        """The leaf queues of the partitions in which they use anything, or have a share."""
        context = self._player.world.rm.context
        found = {}
        for view in past.queues(context):
            for name, part in view.partitions.items() if view.is_leaf else ():
                values = past.shares(context, view, name, part)
                used, guaranteed, fair, _, pending = values
                where = view.path if name == DEFAULT_PARTITION else f"{view.path}:{name}"
                if used or pending or where in self._shown:
                    due = (
                        f"{100 * fair:.1f} % fair share"
                        if fair >= 0
                        else f"{100 * guaranteed:.1f} % guaranteed"
                    )
                    found[where] = f"{100 * used:.1f} % used, {due}"
        return found
