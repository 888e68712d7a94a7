"""The build hook: wheels and editable installs get fresh stubs, wheels also the sample configuration."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class StubsHook(BuildHookInterface[Any]):
    """Generates the modules of the contract before files are collected."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Run by hatchling; `version` is "standard" for a wheel, "editable" for an editable install."""
        if self.target_name != "wheel":
            return
        root = Path(self.root)
        builder = load_stub_builder(root)
        if builder.why_stale() is not None:
            builder.generate()
        if version == "standard":
            # An installed `yarnbox` finds its default configuration beside the package that starts the
            # cluster; a checkout finds it at its top.
            if (root / "conf").is_dir():
                build_data["force_include"][str(root / "conf")] = "cluster/conf"


def load_stub_builder(root: Path) -> ModuleType:
    """protos/build.py by its path: the package that holds it cannot be imported before the stubs exist."""
    spec = importlib.util.spec_from_file_location("stub_builder", root / "protos" / "build.py")
    if spec is None or spec.loader is None:
        raise ImportError("protos/build.py is missing")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
