"""What kills the containers of an NM that died: a node that is lost takes its processes with it.

One small shell per NM, in a session of its own. The NM tells it by a pipe which pid files there are; when the
pipe breaks, the NM is gone, however it went, and every group that is still listed is killed. An NM that is
merely stopped keeps the pipe. Not used when containers are to survive a restart of the NM. Hadoop has no such
thing: there, a lost node is another machine.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

_SCRIPT = r"""
trap '' INT TERM HUP QUIT
declare -A files
while IFS= read -r line; do
  case "$line" in
    +*) files["${line:1}"]=1 ;;
    -*) unset "files[${line:1}]" ;;
  esac
done
for file in "${!files[@]}"; do
  for try in 1 2 3 4 5 6 7 8 9 10; do
    [ -s "$file" ] && break
    sleep 0.02
  done
  group=$(cat "$file" 2>/dev/null) || continue
  [ -f "$file.exitcode" ] && continue
  kill -KILL -- "-$group" 2>/dev/null || kill -KILL "$group" 2>/dev/null
done
"""


class Reaper:
    """The pipe to the shell."""

    def __init__(self) -> None:
        self._shell = subprocess.Popen(
            ["/bin/bash", "-c", _SCRIPT],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        """The shell's process."""
        return self._shell.pid

    def watch(self, pid_file: Path) -> None:
        """From now on its group goes down with the NM."""
        self._tell(f"+{pid_file}\n")

    def forget(self, pid_file: Path) -> None:
        """Its group is gone."""
        self._tell(f"-{pid_file}\n")

    def close(self) -> None:
        """The NM ends in order, and its containers have ended: there is nothing left to do."""
        assert self._shell.stdin is not None
        self._shell.stdin.close()
        self._shell.wait(timeout=10)

    def _tell(self, line: str) -> None:
        assert self._shell.stdin is not None
        if self._shell.stdin.closed:
            return  # the node is at its end
        try:
            self._shell.stdin.write(line.encode())
            self._shell.stdin.flush()
        except BrokenPipeError:
            return  # somebody killed the shell; the node goes on without it
