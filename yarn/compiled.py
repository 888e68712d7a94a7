"""Which core runs: the compiled one, or the pure Python one, which is the reference.

`make compiled` (compile_core.py) translates the modules that decide into extension modules and leaves them
in src/yarnbox/_compiled with a manifest: what they were made of, and for which Python. They are taken all
together or not at all: if one source differs from what was compiled, none is.

YARNBOX_COMPILED=0 never takes them, YARNBOX_COMPILED=1 refuses to go on without them; by default they are
taken where they are there and up to date.
"""

from __future__ import annotations

import hashlib
import json
import sys
from abc import ABCMeta
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mypy_extensions import mypyc_attr as mypyc_attr
    from mypy_extensions import trait as trait
else:

    def mypyc_attr(**_: Any) -> Any:
        """What mypyc reads at a class, and nothing without it. `allow_interpreted_subclasses` stands at those
        that users' own classes derive from; `acyclic` at those that are made most and refer to nothing that
        could refer to them: the garbage collector passes them over.
        """
        return lambda cls: cls

    def trait(cls: Any) -> Any:
        """What mypyc reads at a class that others have beside their base, and nothing without it: calls
        through it cost far less than through a Protocol.
        """
        return cls


SWITCH = "YARNBOX_COMPILED"
PACKAGE = Path(__file__).resolve().parents[1]
"""The directory of the package's folders: the top of a checkout, or the installed package."""
MANIFEST = "manifest.json"


def directory() -> Path:
    """Where the extension modules are, if they are there."""
    in_checkout = PACKAGE / "src" / "yarnbox"
    return (in_checkout if in_checkout.is_dir() else PACKAGE) / "_compiled"


def fingerprint(sources: Iterable[str], package: Path = PACKAGE) -> str:
    """What these files say, by their paths below the package; one that is missing says nothing."""
    digest = hashlib.blake2b(digest_size=16)
    for source in sources:
        path = package / source
        text = path.read_bytes() if path.is_file() else b""
        digest.update(f"{source} {len(text)}\n".encode())
        digest.update(text)
    return digest.hexdigest()


class _Loader(ExtensionFileLoader):
    """Completes what mypyc leaves out: without a register of its own an abstract class shares that of
    abc.ABC, and isinstance and issubclass then take what has been asked of one class for the answer of
    another.
    """

    def exec_module(self, module: ModuleType) -> None:
        """Part of the import system."""
        super().exec_module(module)
        for found in list(vars(module).values()):
            if (
                isinstance(found, ABCMeta)
                and found.__module__ == module.__name__
                and "_abc_impl" not in vars(found)
            ):
                import_module("_abc")._abc_init(found)


class CompiledCore:
    """Finds the extension modules before the sources that they were made of. It is a MetaPathFinder by its
    method alone: importlib.abc takes ten milliseconds of every start.
    """

    def __init__(self, place: Path, files: Mapping[str, str]) -> None:
        self._files = {name: str(place / file) for name, file in files.items()}

    def __len__(self) -> int:
        return len(self._files)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Part of the import system."""
        file = self._files.get(fullname)
        if file is None:
            return None
        return spec_from_file_location(fullname, file, loader=_Loader(fullname, file))


def refusal(place: Path, package: Path = PACKAGE) -> str | None:
    """Why the extension modules cannot be taken; None when they can."""
    manifest = place / MANIFEST
    if not manifest.is_file():
        return "not built"
    document = json.loads(manifest.read_bytes())
    if document["suffix"] != EXTENSION_SUFFIXES[0]:
        return f"for another Python, {document['suffix']}"
    if document["fingerprint"] != fingerprint(document["sources"], package):
        return "out of date"
    return None


def take(switch: str) -> str:
    """Puts the compiled core before the sources if that is wanted and possible; says which one runs."""
    if switch == "0":
        return "pure Python"
    if switch not in ("", "1"):
        raise ImportError(f"{SWITCH}={switch}: 0, 1 or nothing is allowed")
    place = directory()
    reason = refusal(place)
    if reason is None:
        finder = CompiledCore(place, json.loads((place / MANIFEST).read_bytes())["modules"])
        sys.meta_path.insert(0, finder)
        return f"compiled, {len(finder)} modules"
    if switch == "1":
        raise ImportError(f"{SWITCH}=1, but the compiled core is {reason}: make compiled")
    return f"pure Python, the compiled core is {reason}" if place.exists() else "pure Python"
