"""The build hook: every install gets fresh stubs, an editable one the links of src/yarnbox, and a wheel that
is built with YARNBOX_WHEEL=compiled the compiled core.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LINKED = ("protos", "yarn", "rm", "nm", "am", "client", "cluster", "sim", "testing", "conf", "examples")


class StubsHook(BuildHookInterface[Any]):
    """Generates the modules of the contract, and the links, before files are collected."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Run by hatchling; `version` is "standard" for a wheel, "editable" for an editable install."""
        if self.target_name != "wheel":
            return
        root = Path(self.root)
        builder = load(root / "protos" / "build.py")
        if builder.why_stale() is not None:
            builder.generate()
        is_compiled = version == "standard" and os.environ.get("YARNBOX_WHEEL") == "compiled"
        if version == "editable" or is_compiled:
            link_packages(root)
        if is_compiled:
            core = load(root / "compile_core.py")
            core.build_if_stale()
            build_data["force_include"][str(core.PLACE)] = "yarnbox/_compiled"
            build_data["pure_python"] = False
            build_data["infer_tag"] = True


def link_packages(root: Path) -> None:
    """Makes src/yarnbox show the folders of the top level: a source archive carries no links."""
    package = root / "src" / "yarnbox"
    for name in LINKED:
        if not (package / name).exists():
            (package / name).symlink_to(Path("..", "..", name), target_is_directory=True)


def load(file: Path) -> ModuleType:
    """A module by its path: the package cannot be imported before the stubs exist."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is missing")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
