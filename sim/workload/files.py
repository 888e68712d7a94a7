"""What a workload is configured with: a directory of Hadoop's files, or queues of equal shares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from xml.sax.saxutils import quoteattr

from yarnbox.sim.resourcemanager import ADMINISTRATOR
from yarnbox.sim.scenario.playing.files import ScenarioFiles
from yarnbox.yarn.configuration import Configuration, text_of

CLASS = "yarn.resourcemanager.scheduler.class"
LABELS_ENABLED = "yarn.node-labels.enabled"
_PREFIX = "yarn.scheduler.capacity."
_ADMINS = "yarn.admin.acl"
"""The user of the daemon is an administrator, whoever else is: here the one who gives nodes their labels."""


class DirectoryFiles:
    """The files of a directory; what the command line says lies above yarn-site.xml."""

    def __init__(self, directory: Path, conf: Mapping[str, str]) -> None:
        self._directory, self._conf = directory, conf

    def load(self, *file_names: str) -> Configuration:
        """The properties of these files, later ones above earlier ones."""
        read = Configuration.of({}).with_files(self._directory, file_names)
        found = read.overlaid(self._conf, "the command line")
        admins = found.untrimmed(_ADMINS)
        if admins is None or "*" in admins:
            return found
        separator = "," if admins[:1].strip() else ""
        return found.overlaid({_ADMINS: f"{ADMINISTRATOR}{separator}{admins}"}, "whoever runs it")

    def read_text(self, file_name: str) -> str | None:
        """The text of a file; None when there is none."""
        return text_of(self._directory / file_name)

    def modified_ms(self, file_name: str) -> int | None:
        """Nobody writes these files while a workload is played."""
        return 0 if (self._directory / file_name).is_file() else None


def equal_queues(
    scheduler: str, queues: tuple[str, ...], conf: Mapping[str, str], labels: Iterable[str] = ()
) -> ScenarioFiles:
    """A scheduler whose leaf queues below root have equal shares, and may take what others leave; so in the
    partitions of these labels.
    """
    labels = tuple(labels)
    children: dict[str, dict[str, None]] = {"root": {}}
    for name in queues:
        path = "root"
        for part in name.removeprefix("root.").split("."):
            children.setdefault(path, {})[part] = None
            path = f"{path}.{part}"
    capacity, fair = None, None
    if scheduler == "capacity":
        capacity = {f"{_PREFIX}{path}.queues": ",".join(names) for path, names in children.items()}
        for path in (f"{above}.{name}" for above, names in children.items() for name in names):
            capacity[f"{_PREFIX}{path}.capacity"] = "1w"
            capacity |= {f"{_PREFIX}{path}.accessible-node-labels.{one}.capacity": "1w" for one in labels}
            if path not in children:
                capacity[f"{_PREFIX}{path}.user-limit-factor"] = "1000"
    elif scheduler == "fair":
        fair = "\n".join(["<allocations>", *_queue_lines("root", children, 1), "</allocations>", ""])
    enabled = {LABELS_ENABLED: "true"} if labels else {}
    return ScenarioFiles({**enabled, **conf, CLASS: scheduler}, capacity, fair)


def _queue_lines(path: str, children: Mapping[str, Mapping[str, None]], depth: int) -> Iterator[str]:
    for name in children[path]:
        below = f"{path}.{name}"
        if below in children:
            yield f"{'  ' * depth}<queue name={quoteattr(name)}>"
            yield from _queue_lines(below, children, depth + 1)
            yield f"{'  ' * depth}</queue>"
        else:
            yield f"{'  ' * depth}<queue name={quoteattr(name)}/>"
