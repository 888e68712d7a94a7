"""`yarn top`: the cluster and its busiest applications, again every few seconds. Hadoop: TopCLI.

Applications are fetched at most every five seconds, for asking for all of them is dear; keys work at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from yarnbox.client.command_line import arguments as words
from yarnbox.client.command_line.failures import OK, UNCAUGHT
from yarnbox.client.command_line.options import CommandLine, Option, Options, OptionsError, help_text, parse
from yarnbox.client.command_line.terminal import Keys, clear, draw, keyboard, terminal_size
from yarnbox.client.printing.top import BY_LETTER, Figures, View, help_screen
from yarnbox.client.session import Session
from yarnbox.client.web import CLUSTER, UnreachableError
from yarnbox.yarn.enums import YarnApplicationState
from yarnbox.yarn.records.application import ApplicationReport
from yarnbox.yarn.records.queue import QueueInfo

_DELAY_S = 3
_APPLICATIONS_FOR_MS = 5000
_STATES = (YarnApplicationState.ACCEPTED, YarnApplicationState.RUNNING)

OPTIONS = Options(
    Option("queues", "Only applications in these queues, separated by commas.", 1),
    Option("users", "Only applications of these users, separated by commas.", 1),
    Option("types", "Only applications of these types, separated by commas.", 1),
    Option("cols", "Columns of the terminal.", 1),
    Option("rows", "Rows of the terminal.", 1),
    Option("delay", f"Seconds between two screens, {_DELAY_S} if not given.", 1),
    Option("help", "Shows this help; h does so while the command runs."),
)


class Screen(Enum):
    """What is on the terminal."""

    TOP = "top"
    SORT = "sort"
    FIELDS = "fields"
    HELP = "help"


def run(session: Session, arguments: Sequence[str]) -> int:
    """Shows screens until `q`."""
    try:
        line = parse(OPTIONS, arguments)
    except OptionsError as error:
        session.console.error(f"Unable to parse options: {error.message}")
        return UNCAUGHT
    if line.has("help"):
        session.console.write(help_text("yarn top", OPTIONS))
        return OK
    with keyboard() as keys:
        return Top(session, line, keys).run()


class Top:
    """One run of the command."""

    def __init__(self, session: Session, line: CommandLine, keys: Keys) -> None:
        self._session = session
        self._console = session.console
        self._keys = keys
        columns, rows = terminal_size()
        self.view = View(
            words.integer(line.value("cols") or str(columns)),
            words.integer(line.value("rows") or str(rows)),
            session.console.zone,
        )
        self.screen = Screen.TOP
        delay_s = words.integer(line.value("delay") or str(_DELAY_S))
        self._delay_ms = (delay_s if delay_s >= 1 else _DELAY_S) * 1000
        self._queues, self._users, self._types = (
            _list(line.value(name)) for name in ("queues", "users", "types")
        )
        self._started_ms: int | None = None
        self._applications: tuple[ApplicationReport, ...] = ()
        self._fetched_ms: int | None = None

    def run(self) -> int:
        """Draws, waits for a key or for the delay, and so on."""
        clear(self._console.out)
        try:
            while True:
                self._draw()
                key = self._keys.wait(self._delay_ms / 1000)
                if key is not None and not self.press(key):
                    return OK
        finally:
            clear(self._console.out)

    def press(self, key: str) -> bool:
        """What a key does; False when it ends the command."""
        letter = key.lower()
        if self.screen is Screen.TOP:
            return self._press_on_top(letter)
        if self.screen is Screen.SORT and letter in BY_LETTER:
            self.view.sorted_by = letter
        elif self.screen is Screen.FIELDS and letter in BY_LETTER:
            self.view.shown = self.view.shown ^ {letter}
        else:
            self.screen = Screen.TOP
        return True

    def _press_on_top(self, letter: str) -> bool:
        screens = {"s": Screen.SORT, "f": Screen.FIELDS, "h": Screen.HELP}
        if letter == "q":
            return False
        if letter == "r":
            self.view.ascending = not self.view.ascending
        self.screen = screens.get(letter, Screen.TOP)
        return True

    def _draw(self) -> None:
        if self.screen is Screen.TOP:
            figures = self._figures()
            head = [*self.view.head(figures), ""]
            lines = [*head, self.view.column_heads(), *self.view.applications(figures)]
            draw(self._console.out, lines, inverted=len(head))
        elif self.screen is Screen.SORT:
            draw(self._console.out, self.view.sort_screen())
        elif self.screen is Screen.FIELDS:
            draw(self._console.out, self.view.fields_screen())
        else:
            draw(self._console.out, help_screen(self._delay_ms))

    def _figures(self) -> Figures:
        now_ms = self._console.clock.now_ms()
        client = self._session.client
        if self._fetched_ms is None or now_ms - self._fetched_ms >= _APPLICATIONS_FOR_MS:
            self._applications = client.applications(
                types=self._types, states=_STATES, users=self._users, queues=self._queues
            )
            self._fetched_ms = now_ms
        if self._started_ms is None:
            self._started_ms = self._ask_started_ms()
        nodes, queues = client.cluster_metrics(), tuple(self._queue_infos())
        return Figures(now_ms, self._started_ms, self._queues, nodes, queues, self._applications)

    def _queue_infos(self) -> list[QueueInfo]:
        if not self._queues:
            return self._session.client.root_queues()
        infos = [self._session.client.queue_info(name) for name in self._queues]
        return [info for info in infos if info is not None]

    def _ask_started_ms(self) -> int | None:
        """When the RM started, from its web service; None while that does not answer, or another does."""
        try:
            answer = self._session.web().get(self._session.web_address, f"{CLUSTER}/info")
            return int(answer.json["clusterInfo"]["startedOn"]) if answer.is_ok else None
        except (UnreachableError, ValueError, KeyError, TypeError):
            return None


def _list(value: str | None) -> tuple[str, ...]:
    return () if value is None else tuple(part for part in value.split(",") if part)
