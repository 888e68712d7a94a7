"""`yarn applicationattempt`: list, show and fail attempts. Hadoop: ApplicationCLI."""

from __future__ import annotations

from collections.abc import Sequence

from yarnbox.client.command_line import arguments as words
from yarnbox.client.command_line.failures import FAILED, OK
from yarnbox.client.command_line.options import Option, Options
from yarnbox.client.commands.application import CLUSTER_ID
from yarnbox.client.commands.reading import HELP, HELP_DESCRIPTION, invalid_usage, print_help, read_line
from yarnbox.client.printing.applications import attempt_list, attempt_report
from yarnbox.client.session import Session
from yarnbox.yarn.errors import ApplicationAttemptNotFoundError, ApplicationNotFoundError

TITLE = "applicationattempt"

OPTIONS = Options(
    Option("list", "Lists the attempts of an application.", 1, argument_name="Application ID"),
    Option("status", "Shows an attempt.", 1, argument_name="Application Attempt ID"),
    Option("fail", "Fails an attempt.", 1, argument_name="Application Attempt ID"),
    Option(HELP, HELP_DESCRIPTION),
    Option(CLUSTER_ID, "Accepted and ignored: there is one cluster.", 1, argument_name="Cluster ID"),
)


def run(session: Session, arguments: Sequence[str]) -> int:
    """Precedence: -status, -list, -fail, -help."""
    line = read_line(session, TITLE, OPTIONS, arguments)
    if line is None:
        return FAILED
    asked_alone = not any(
        line.has(action) and line.has_other_than(action, CLUSTER_ID) for action in ("status", "list")
    )
    if line.words or not asked_alone:
        print_help(session, TITLE, OPTIONS)
        return FAILED
    if line.has("status"):
        return _status(session, line.value("status") or "")
    if line.has("list"):
        attempts = session.client.application_attempts(words.application_id(line.value("list") or ""))
        session.console.write(attempt_list(attempts))
    elif line.has("fail"):
        attempt_id = words.attempt_id(line.value("fail") or "")
        session.console.print(f"Failing attempt {attempt_id} of application {attempt_id.application_id}")
        session.client.fail_application_attempt(attempt_id)
    elif line.has(HELP):
        print_help(session, TITLE, OPTIONS)
    else:
        invalid_usage(session, TITLE, OPTIONS)
    return OK


def _status(session: Session, word: str) -> int:
    attempt_id = words.attempt_id(word)
    console = session.console
    try:
        console.write(attempt_report(session.client.application_attempt_report(attempt_id)))
        return OK
    except ApplicationNotFoundError:
        console.print(f"Application for AppAttempt with id '{word}' doesn't exist in RM or Timeline Server.")
    except ApplicationAttemptNotFoundError:
        console.print(f"Application Attempt with id '{word}' doesn't exist in RM or Timeline Server.")
    return FAILED
