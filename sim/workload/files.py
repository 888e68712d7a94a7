"""What a workload is configured with: a directory of Hadoop's files, or queues of equal shares."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import quoteattr

from sim.scenario.files import ScenarioFiles
from yarn.configuration import Configuration, ConfigurationError

CLASS = "yarn.resourcemanager.scheduler.class"
_PREFIX = "yarn.scheduler.capacity."


class DirectoryFiles:
    """The files of a directory; what the command line says lies above yarn-site.xml."""

    def __init__(self, directory: Path, conf: Mapping[str, str]) -> None:
        self._directory, self._conf = directory, conf

    def load(self, *file_names: str) -> Configuration:
        """The properties of these files, later ones above earlier ones."""
        read = Configuration.of({}).with_files(self._directory, file_names)
        return read.overlaid(self._conf, "the command line")

    def read_text(self, file_name: str) -> str | None:
        """The text of a file; None when there is none."""
        path = self._directory / file_name
        try:
            return path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError.of(path, f"cannot be read: {error}") from error

    def modified_ms(self, file_name: str) -> int | None:
        """Nobody writes these files while a workload is played."""
        return 0 if (self._directory / file_name).is_file() else None


def equal_queues(scheduler: str, queues: tuple[str, ...], conf: Mapping[str, str]) -> ScenarioFiles:
    """A scheduler whose leaf queues below root have equal shares, and may take what others leave."""
    names = dict.fromkeys(name.removeprefix("root.") for name in queues)
    capacity, fair = None, None
    if scheduler == "capacity":
        capacity = {f"{_PREFIX}root.queues": ",".join(names)}
        for name in names:
            capacity[f"{_PREFIX}root.{name}.capacity"] = "1w"
            capacity[f"{_PREFIX}root.{name}.user-limit-factor"] = "1000"
    elif scheduler == "fair":
        lines = [f"  <queue name={quoteattr(name)}/>" for name in names]
        fair = "\n".join(["<allocations>", *lines, "</allocations>", ""])
    return ScenarioFiles({**conf, CLASS: scheduler}, capacity, fair)
