"""Classes of a user's own, which a configuration names by their dotted paths."""

from __future__ import annotations

import importlib
import inspect
from typing import Any, TypeVar

T = TypeVar("T")


def class_named(path: str, kind: type[T]) -> type[T]:
    """The class of that dotted path; LookupError says why there is none that can be used."""
    return checked(path, object_named(path), kind)


def checked(path: str, found: object, kind: type[T]) -> type[T]:
    """What is there at the path, if it is such a class and can be used; else LookupError says why not."""
    if not (isinstance(found, type) and issubclass(found, kind)):
        raise LookupError(f"{path} is not a subclass of {kind.__module__}.{kind.__qualname__}")
    if inspect.isabstract(found):
        lacking = getattr(found, "__abstractmethods__", ())
        raise LookupError(f"{path} lacks the method {', '.join(sorted(lacking))}")
    return found


def object_named(path: str) -> Any:
    """What is there at the dotted path; LookupError says why there is nothing."""
    module, _, name = path.rpartition(".")
    if not module:
        raise LookupError("it is neither a name of ours nor the dotted path of a class")
    try:
        found = getattr(importlib.import_module(module), name, None)
    except Exception as error:  # whatever a module of the user's raises
        raise LookupError(f"{module} cannot be imported: {type(error).__name__}: {error}") from error
    if found is None:
        raise LookupError(f"there is no {name} in {module}")
    return found
