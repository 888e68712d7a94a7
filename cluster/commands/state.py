"""`yarnbox check-state`, `backup-state`, `restore-state`: the state store of a cluster's ResourceManager.

Looking and copying are done while the ResourceManager runs; a backup takes the store's place only when nobody
uses it.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from yarnbox.cluster.directory import ClusterError, RunDirectory
from yarnbox.rm.edge.store import FILE, OWNER
from yarnbox.yarn.storage import sealed_store
from yarnbox.yarn.storage.sealed_store import StoreError
from yarnbox.yarn.text.moments import iso8601
from yarnbox.yarn.text.words import counted


def store_of(options: argparse.Namespace) -> Path:
    """The store that is meant: that of the run directory unless another file is named."""
    return Path(options.store) if options.store else RunDirectory.chosen(options.dir).state / FILE


def run_check(options: argparse.Namespace) -> int:
    """Says whether the store is whole; 1 when it is not, or holds entries that were set aside."""
    path = store_of(options)
    try:
        found, aside = sealed_store.check(path)
    except StoreError as error:
        raise ClusterError(str(error)) from error
    entries, turns = counted(len(found.sums), "entry"), counted(found.turns, "turn")
    print(f"{path}: cluster {found.cluster}, {entries}, {turns} stored")
    for fault in found.faults:
        print(f"fault: {fault}")
    for key in found.damaged.values():
        print(f"damaged: {key}: its checksum is wrong")
    for one in aside:
        print(f"set aside {iso8601(one.at_ms)}: {one.key}: {one.why}")
    if found.faults or found.damaged or aside:
        return 1
    print("every entry is there, and as it was written")
    return 0


def run_backup(options: argparse.Namespace) -> int:
    """Copies the store, whoever uses it."""
    path, target = store_of(options), Path(options.file)
    if target.exists():
        raise ClusterError(f"{target} exists already: name another file")
    try:
        found = sealed_store.backup(path, target)
    except StoreError as error:
        raise ClusterError(str(error)) from error
    print(f"yarnbox: {target} holds {counted(len(found.sums), 'entry')} of {path}, cluster {found.cluster}")
    return 0


def run_restore(options: argparse.Namespace) -> int:
    """Puts a backup in the store's place and keeps what was there."""
    path = store_of(options)
    try:
        kept = sealed_store.restore(path, Path(options.file), OWNER)
    except StoreError as error:
        raise ClusterError(str(error)) from error
    where = f"; the replaced store is now {kept}" if kept is not None else ""
    print(f"yarnbox: restored {path} from {options.file}{where}; start it with `yarnbox up --recover`")
    return 0
