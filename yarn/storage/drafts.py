"""Files that appear under their name when they are whole: a reader sees the old one or the new one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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
        if error.filename != str(draft):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        draft.unlink(missing_ok=True)
