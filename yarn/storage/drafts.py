"""Files that appear under their name when they are whole: a reader sees the old one or the new one."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def draft_of(path: Path) -> Iterator[Path]:
    """Where to write what becomes `path` when the block ends in order; otherwise nothing is left. An OSError
    names `path`, not the draft of which the user knows nothing.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
    try:
        yield draft
        os.replace(draft, path)
    except OSError as error:
        is_ours = error.filename == str(draft) or (error.filename is None and error.errno in _FULL)
        if not is_ours:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        with suppress(OSError):  # a file system that may only be read refuses even if there is nothing
            draft.unlink(missing_ok=True)


def named_file(path: Path) -> io.BufferedWriter:
    """A file to write, as `open` makes it; an OSError of a write names it, of several that are open the right
    one.
    """
    return io.BufferedWriter(_NamedFile(str(path), "w"))


class _NamedFile(io.FileIO):
    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise OSError(error.errno, error.strerror, self.name) from None
