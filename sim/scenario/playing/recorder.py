"""The story of a play as plain values, for `events` of the JSON output: in the file's names where it has
them."""

from __future__ import annotations

from yarnbox.sim.scenario.playing.world import World
from yarnbox.yarn.runtime.story import Line


class Recorder:
    """Writes down every line of the story with the step in which it was told."""

    def __init__(self) -> None:
        self.step = 0
        self.events: list[dict[str, object]] = []
        self.pending: dict[str, list[dict[str, str]]] = {}
        """Why each application waits, as it was told last."""
        self._world: World | None = None

    def record_reasons(self) -> dict[str, list[dict[str, str]]]:
        """Writes down why each application waits, where that is another reason than before; what is new.

        The scheduler is asked after each step, and only when somebody is going to read the answer.
        """
        world = self._world
        assert world is not None
        scheduler = world.rm.context.scheduler
        new: dict[str, list[dict[str, str]]] = {}
        for name, app in world.apps.items():
            found = [
                {"reason": check.reason.name, "text": line}
                for request in scheduler.views.request_checks(app.application_id)
                for check, line in zip(request.failing, request.lines, strict=True)
            ]
            if found == self.pending.get(name, []):
                continue
            self.pending[name] = new[name] = found
            self.events.append(
                {
                    "step": self.step,
                    "at": world.rm.context.now_ms - world.rm.start_ms,
                    "kind": "Pending",
                    "id": str(app.application_id),
                    "name": name,
                    "reasons": found,
                }
            )
        return new

    def listen(self, world: World) -> None:
        """From now on the story of that world is written down."""
        self._world = world
        world.rm.context.story.listeners.append(self._note)

    def _note(self, line: Line) -> None:
        assert self._world is not None
        name = self._world.name_of(line.subject)
        event: dict[str, object] = {
            "step": self.step,
            "at": line.now_ms - self._world.rm.start_ms,
            "kind": line.kind,
            "id": str(line.subject),
        }
        if name is not None:
            event["name"] = name
        for key, value in (("before", line.before), ("event", line.event), ("after", line.after)):
            if value:
                event[key] = value
        if line.because:
            event["because"] = line.because
        self.events.append(event)
