"""`yarn queue`: show a queue, list queues. Hadoop: QueueCLI."""

from __future__ import annotations

from collections.abc import Sequence

from yarnbox.client.command_line.failures import FAILED, OK
from yarnbox.client.command_line.options import Option, Options
from yarnbox.client.commands.reading import HELP, HELP_DESCRIPTION, invalid_usage, print_help, read_line
from yarnbox.client.printing.queues import queue_box, queue_report
from yarnbox.client.session import Session

TITLE = "queue"
_ALL = "all"
_MOST_WORDS_OF_STATUS = 4

OPTIONS = Options(
    Option("status", "Shows a queue.", 1, argument_name="Queue Name"),
    Option(
        "list",
        "Lists the queues below a parent; all of them for `all`.",
        1,
        argument_name="Parent Queue Name",
    ),
    Option("subClusterId", "Accepted and ignored: there is no federation.", 1),
    Option(HELP, HELP_DESCRIPTION),
)


def run(session: Session, arguments: Sequence[str]) -> int:
    """Precedence: -status, -help, -list. Without an action it fails, unlike its neighbours."""
    line = read_line(session, TITLE, OPTIONS, arguments)
    if line is None:
        return FAILED
    if line.has("status") and len(arguments) <= _MOST_WORDS_OF_STATUS:
        return _status(session, line.value("status") or "")
    if line.has("status"):
        print_help(session, TITLE, OPTIONS)
        return FAILED
    if line.has(HELP):
        print_help(session, TITLE, OPTIONS)
        return OK
    if line.has("list") and len(arguments) == 2:
        return _list(session, line.value("list") or "")
    if line.has("list"):
        print_help(session, TITLE, OPTIONS)
    else:
        invalid_usage(session, TITLE, OPTIONS)
    return FAILED


def _status(session: Session, name: str) -> int:
    info = session.client.queue_info(name)
    if info is None:
        session.console.print(f"Cannot get queue from RM by queueName = {name}, please check.")
        return FAILED
    session.console.write(queue_report(info))
    return OK


def _list(session: Session, parent: str) -> int:
    if parent.lower() == _ALL:
        infos, where = session.client.all_queues(), "from RM"
    else:
        infos, where = session.client.child_queues(parent), f"under {parent} from RM"
    if infos is None:
        session.console.print(f"Cannot get any queues {where},please check.")
        return FAILED
    session.console.write(queue_box(infos))
    return OK
