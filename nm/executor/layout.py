"""Where everything of a container lies: local directories, log directories, and what is below them.

Owns the names, and which of several directories is used. Which of them are good is told from outside. Hadoop:
LocalDirsHandlerService's choices and the path helpers of ContainerLaunch, ContainerLocalizer and
ContainerExecutor.
"""

from __future__ import annotations

import fcntl
import itertools
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from yarnbox.nm.localization.resources import CacheKey
from yarnbox.yarn.ids import ApplicationId, ContainerId

PRIVATE = "nmPrivate"
USER_CACHE = "usercache"
FILE_CACHE = "filecache"
STAGED = "staged"
APPLICATION_CACHE = "appcache"


LOCK_FILE = ".in-use"
_ASIDE = "_DEL_"


class InUseError(Exception):
    """Another node has the directory."""


class NoDirectoryError(Exception):
    """No good directory is left."""


class Layout:
    """The directories of one node."""

    def __init__(self, local: Sequence[str], logs: Sequence[str]) -> None:
        self.all_local = [Path(path).absolute() for path in local]
        self.all_logs = [Path(path).absolute() for path in logs]
        self._local = list(self.all_local)
        self._logs = list(self.all_logs)
        self._turn = itertools.count()

    def use(self, local: Sequence[str], logs: Sequence[str]) -> None:
        """From now on only these, the good ones, take anything new."""
        self._local = [Path(path) for path in local]
        self._logs = [Path(path) for path in logs]

    @property
    def local(self) -> list[Path]:
        """The good local directories."""
        return self._local

    @property
    def logs(self) -> list[Path]:
        """The good log directories."""
        return self._logs

    def prepare(self, *, keeps: bool = False) -> list[Path]:
        """Makes the directories that have to be there from the start; bad ones are left to the checks.

        What an earlier life left in them is put aside, unless it is to be found again; the paths returned are
        to be removed when there is time. Logs stay.
        """
        aside: list[Path] = []
        for root in self.all_local:
            aside += root.glob(f"*{_ASIDE}*")
            for name in (USER_CACHE, FILE_CACHE, PRIVATE, STAGED):
                if not keeps:
                    aside += _rename_for_removal(root / name)
                _make(root / name, 0o700 if name in (PRIVATE, STAGED) else 0o755)
        for root in self.all_logs:
            _make(root, 0o755)
        return aside

    def lock(self) -> list[IO[str]]:
        """Takes the local directories for this node as long as the files returned are open; InUseError when
        another node has one of them.
        """
        locks: list[IO[str]] = []
        for root in self.all_local:
            try:
                _make(root, 0o755)
                file = (root / LOCK_FILE).open("w")
            except OSError:
                continue  # the checks will say what is wrong with it
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                for taken in [*locks, file]:
                    taken.close()
                raise InUseError(
                    f"the local directory {root} is in use by another NodeManager;"
                    " yarn.nodemanager.local-dirs, or --dir, names others"
                ) from None
            locks.append(file)
        return locks

    @property
    def staged(self) -> Path:
        """Where clients' staged files are: in one directory, that they may be counted."""
        return self.all_local[0] / STAGED

    # Containers

    def work_directory(self, container_id: ContainerId, user: str) -> Path:
        """The container's working directory: where it is, or where it should be."""
        found = self.find_work_directory(container_id, user)
        return found or self._pick(self._local) / _application(user, container_id) / str(container_id)

    def find_work_directory(self, container_id: ContainerId, user: str) -> Path | None:
        """The container's working directory, if there is one."""
        for root in self.all_local:
            path = root / _application(user, container_id) / str(container_id)
            if path.is_dir():
                return path
        return None

    def private_directory(self, container_id: ContainerId) -> Path:
        """Where scripts, tokens and pid files lie."""
        name = f"{container_id.application_id}/{container_id}"
        for root in self.all_local:
            path = root / PRIVATE / name
            if path.is_dir():
                return path
        return self._pick(self._local) / PRIVATE / name

    def pid_file(self, container_id: ContainerId) -> Path:
        """Where the process id is; the exit code is beside it, `.exitcode` appended."""
        return self.private_directory(container_id) / f"{container_id}.pid"

    def log_directory(self, container_id: ContainerId) -> Path:
        """Where the container's logs go: where they are, or where they should be."""
        return self.find_log_directory(container_id) or self._pick(self._logs) / _logs(container_id)

    def find_log_directory(self, container_id: ContainerId) -> Path | None:
        """Where the container's logs are, if there are any."""
        for root in self.all_logs:
            if (root / _logs(container_id)).is_dir():
                return root / _logs(container_id)
        return None

    def application_directories(self, container_id: ContainerId, user: str) -> list[Path]:
        """LOCAL_DIRS: the application's directory in each local directory."""
        return [root / _application(user, container_id) for root in self._local]

    def user_directories(self, user: str) -> list[Path]:
        """LOCAL_USER_DIRS."""
        return [root / USER_CACHE / user for root in self._local]

    def log_directories(self, container_id: ContainerId) -> list[Path]:
        """LOG_DIRS: the container's directory in each log directory."""
        return [root / _logs(container_id) for root in self._logs]

    # Caches, and the end of things

    def cache_directory(self, cache: CacheKey, directory: str) -> Path:
        """A place for a resource in a good local directory."""
        return self._pick(self._local) / cache.directory / directory

    def delete_container(self, container_id: ContainerId, user: str) -> None:
        """Removes its working directory and private files."""
        for root in self.all_local:
            remove_tree(root / _application(user, container_id) / str(container_id))
            remove_tree(root / PRIVATE / str(container_id.application_id) / str(container_id))

    def delete_application(self, application_id: ApplicationId, user: str) -> None:
        """Removes its directories, logs excepted."""
        for root in self.all_local:
            remove_tree(root / USER_CACHE / user / APPLICATION_CACHE / str(application_id))
            remove_tree(root / PRIVATE / str(application_id))

    def delete_logs(self, application_id: ApplicationId) -> None:
        """Removes its logs."""
        for root in self.all_logs:
            remove_tree(root / str(application_id))

    def _pick(self, roots: list[Path]) -> Path:
        if not roots:
            raise NoDirectoryError("Most of the disks failed. No good directory is left.")
        return roots[next(self._turn) % len(roots)]


def remove_tree(path: Path) -> None:
    """Removes a file or a tree, whatever of it is still there."""
    if path.is_symlink() or path.is_file():
        path.unlink(missing_ok=True)
    else:
        shutil.rmtree(path, ignore_errors=True)


def _application(user: str, container_id: ContainerId) -> Path:
    return Path(USER_CACHE) / user / APPLICATION_CACHE / str(container_id.application_id)


def _logs(container_id: ContainerId) -> Path:
    return Path(str(container_id.application_id)) / str(container_id)


def _make(path: Path, mode: int) -> None:
    try:
        path.mkdir(mode=mode, parents=True, exist_ok=True)
    except OSError:
        return


def _rename_for_removal(path: Path) -> list[Path]:
    """Renames what is there, so that it can be removed later; where it is now."""
    if not path.exists():
        return []
    aside = path.with_name(f"{path.name}{_ASIDE}{path.stat().st_mtime_ns}")
    try:
        path.rename(aside)
    except OSError:
        return []
    return [aside]
