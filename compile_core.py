"""Translates the modules that decide into extension modules, by mypyc: `make compiled`.

Goes into src/yarnbox/_compiled, which appears whole or not at all; yarn/compiled.py says when it is used.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.util
import json
import os
import shutil
import sys
import sysconfig
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent
PLACE = ROOT / "src" / "yarnbox" / "_compiled"
GROUP = "yarnbox.core"


def chosen(root: Path = ROOT) -> list[str]:
    """The modules, by their paths from the top: what pyproject.toml includes less what it excludes."""
    with (root / "pyproject.toml").open("rb") as file:
        patterns = tomllib.load(file)["tool"]["yarnbox"]["compiled"]
    included = {path for pattern in patterns["include"] for path in root.glob(pattern)}
    excluded = {path for pattern in patterns["exclude"] for path in root.glob(pattern)}
    names = (path.relative_to(root) for path in included - excluded)
    return sorted(str(name) for name in names if name.name != "__init__.py")


def read_from(modules: list[str], root: Path = ROOT) -> list[str]:
    """The modules, and those whose types and constants go into what is made of them."""
    found = set(modules)
    for name in modules:
        for node in ast.walk(ast.parse((root / name).read_bytes())):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("yarnbox."):
                base = Path(*node.module.split(".")[1:])
                candidates = [base.with_suffix(".py"), base / "__init__.py"]
                candidates += [base / f"{alias.name}.py" for alias in node.names]
                found |= {str(path) for path in candidates if (root / path).is_file()}
    return sorted(found)


def build(place: Path, optimization: str, processes: int) -> None:
    """Compiles everything, then puts it into its place."""
    from mypyc.build import mypycify  # heavy, and not there where only the wheel's hook looks at this module

    modules = chosen()
    sources = read_from(modules)
    fingerprint = _switch().fingerprint(sources, ROOT)
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory(prefix="yarnbox-compiled-") as draft:
        generated = Path(draft, "generated")
        extensions = mypycify(
            ["--config-file", "pyproject.toml", *(f"src/yarnbox/{name}" for name in modules)],
            group_name=GROUP,
            multi_file=True,
            opt_level=optimization,
            debug_level="0",
            target_dir=str(generated),
        )
        for extension in extensions:
            extension.include_dirs.append(str(generated / "yarnbox"))
            # Every product and sum is rounded by itself, as Python rounds it: float32 relies on that.
            extension.extra_compile_args.append("-ffp-contract=off")
        command = (
            importlib.import_module("setuptools")
            .Distribution({"name": "yarnbox", "ext_modules": extensions})
            .get_command_obj("build_ext")
        )
        command.build_lib, command.build_temp = f"{draft}/built", f"{draft}/objects"
        command.ensure_finalized()
        # setuptools compiles one file after the other; nearly all of them belong to one extension
        inherited = command.build_extensions

        def build_extensions() -> None:
            compile_one = command.compiler.compile

            def compile_all(sources: list[str], *rest: Any, **named: Any) -> list[str]:
                with ThreadPoolExecutor(processes) as pool:
                    made = pool.map(lambda source: compile_one([source], *rest, **named), sources)
                    return [name for names in made for name in names]

            command.compiler.compile = compile_all
            inherited()

        command.build_extensions = build_extensions
        command.run()
        _publish(Path(draft, "built"), place, modules, sources, fingerprint)


def _publish(built: Path, place: Path, modules: list[str], sources: list[str], fingerprint: str) -> None:
    suffix = EXTENSION_SUFFIXES[0]
    names = {path.relative_to(built): path for path in built.rglob(f"*{suffix}")}
    files = {str(name).removesuffix(suffix).replace("/", "."): path for name, path in names.items()}
    wanted = {"yarnbox." + name.removesuffix(".py").replace("/", ".") for name in modules}
    library = f"{GROUP}__mypyc"
    amiss = sorted(set(files) ^ (wanted | {library}))
    if amiss:
        raise SystemExit(f"compile_core: not what was to be compiled: {', '.join(amiss)}")
    draft = place.with_name(f".{place.name}-{os.getpid()}")
    draft.mkdir()
    for name, path in files.items():
        shutil.copyfile(path, draft / f"{name}{suffix}")
    manifest = {
        "suffix": suffix,
        "modules": {name: f"{name}{suffix}" for name in sorted(files)},
        "sources": sources,
        "fingerprint": fingerprint,
    }
    (draft / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    shutil.rmtree(place, ignore_errors=True)
    draft.rename(place)


def _switch() -> ModuleType:
    """yarn/compiled.py by its path: an import of the package would take the core that is there."""
    spec = importlib.util.spec_from_file_location("switch", ROOT / "yarn" / "compiled.py")
    if spec is None or spec.loader is None:
        raise ImportError("yarn/compiled.py is missing")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build_if_stale(optimization: str = "2") -> bool:
    """Compiles what is not there or not up to date; whether there was something to do."""
    if _switch().refusal(PLACE, ROOT) is None:
        return False
    compiler = str(sysconfig.get_config_var("CC") or "cc").split()[0]
    if shutil.which(compiler) is None:
        raise OSError(f"no C compiler ({compiler}) on the PATH")
    print("compiled: translating the core to C and compiling it; some minutes", flush=True)
    build(PLACE, optimization, os.cpu_count() or 1)
    return True


def main() -> int:
    """The command; its exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--optimization", default="2", choices=("0", "1", "2", "3"))
    options = parser.parse_args()
    try:
        is_new = build_if_stale(options.optimization)
    except OSError as error:
        print(f"compiled: {error}: the pure Python core is used", file=sys.stderr)
        return 1
    print(f"compiled: {PLACE.relative_to(ROOT)} is {'ready' if is_new else 'up to date'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
