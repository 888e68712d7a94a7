"""When Python looks for cyclic garbage in a process that lives long.

By default Python looks at every object that stays several times: after 700 more, then with ten times as many,
then whenever a quarter has been added to all of them. A ResourceManager with a compiled core that allocates
20,000 containers a second spends a quarter of its time on that, and few of the objects it drops are cyclic.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

YOUNG, MIDDLE, OLD = 20_000, 20, 100
"""So many objects more than before have the youngest looked at, in a millisecond or two; so many times that
the middle generation; so many times that all that is not frozen.
"""


def reduce_garbage_collection() -> None:
    """What is there now stays, and is never looked at again; what comes is looked at seldom."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, MIDDLE, OLD)


@contextmanager
def rare_garbage_collection() -> Iterator[None]:
    """Garbage is looked for seldom meanwhile, and as before afterwards: a play is a guest in its process."""
    before = gc.get_threshold()
    gc.set_threshold(YOUNG)
    try:
        yield
    finally:
        gc.set_threshold(*before)
