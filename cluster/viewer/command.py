"""`yarnbox view`: the pages over recordings until Ctrl-C. A file that is none is one line and status 2."""

from __future__ import annotations

import argparse
import asyncio
import signal
from pathlib import Path

from cluster.directory import ClusterError
from cluster.viewer.server import Viewer
from cluster.viewer.shelf import NAMES, Shelf
from rm.edge.http.server import bind
from sim.recording.document import InvalidRecordingError, read_file
from yarn.address import Address
from yarn.rpc import PortTakenError

LOOPBACK = "127.0.0.1"


def run(options: argparse.Namespace) -> int:
    """The command; the exit status."""
    if len(options.recordings) > len(NAMES):
        raise ClusterError(f"at most {len(NAMES)} recordings are shown side by side", status=2)
    directory = Path(options.scenarios) if options.scenarios else None
    if directory is not None and not directory.is_dir():
        raise ClusterError(f"{directory} is no directory", status=2)
    try:
        recordings = [read_file(Path(name)) for name in options.recordings]
    except InvalidRecordingError as error:
        raise ClusterError(str(error), status=2) from None
    return asyncio.run(serve(Shelf(recordings, directory), options.port))


async def serve(shelf: Shelf, port: int) -> int:
    """Serves until a signal comes; the exit status."""
    try:
        listening = bind(Address(LOOPBACK, port))
    except PortTakenError:
        raise ClusterError(f"port {port} is already in use; --port 0 takes a free one") from None
    ending = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, ending.set)
    viewer = Viewer(shelf)
    await viewer.start(listening)
    page = "compare" if len(shelf.recordings) > 1 else "run" if shelf.recordings else "simulation"
    address = f"http://{LOOPBACK}:{listening.getsockname()[1]}/cluster/{page}"
    print(f"yarnbox: {address}\nCtrl-C ends it", flush=True)
    try:
        await ending.wait()
    finally:
        await viewer.stop()
    return 0
