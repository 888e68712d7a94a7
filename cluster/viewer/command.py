"""`yarnbox view`: serves the pages over recordings until Ctrl-C. A file that is no recording is reported in
one line, with status 2."""

from __future__ import annotations

import argparse
import asyncio
import signal
from collections.abc import Callable
from pathlib import Path

from yarnbox.cluster.directory import ClusterError
from yarnbox.cluster.viewer.library import NAMES, RecordingLibrary
from yarnbox.cluster.viewer.server import Viewer
from yarnbox.sim.recording.document import InvalidRecordingError, read_file
from yarnbox.sim.whatif.reports.files import REPORT
from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.connection.rpc import PortTakenError
from yarnbox.yarn.http.listening import bind

LOOPBACK = "127.0.0.1"


def run(options: argparse.Namespace) -> int:
    """The command; the exit status."""
    if sum(not Path(name).is_dir() for name in options.recordings) > len(NAMES):
        raise ClusterError(f"at most {len(NAMES)} recordings are shown side by side", status=2)
    directory = Path(options.scenarios) if options.scenarios else None
    if directory is not None and not directory.is_dir():
        raise ClusterError(f"{directory} is not a directory", status=2)
    reports = [Path(name) for name in options.recordings if Path(name).is_dir()]
    if len(reports) > 1:
        raise ClusterError("one report of yarnbox whatif is shown at a time", status=2)
    report = read_report(reports[0]) if reports else None
    try:
        files = (Path(name) for name in options.recordings)
        recordings = [read_file(path) for path in files if path not in reports]
    except InvalidRecordingError as error:
        raise ClusterError(str(error), status=2) from None
    return asyncio.run(serve(RecordingLibrary(recordings, directory, report), options.port))


def read_report(directory: Path) -> str:
    """The page in a directory that `yarnbox whatif --out` wrote."""
    path = directory / REPORT
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        said = f"{directory}: there is no {REPORT} in it, as `yarnbox whatif --out` writes it"
        raise ClusterError(said, status=2) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ClusterError(f"{path}: cannot be read: {error}", status=2) from None


async def serve(
    library: RecordingLibrary, port: int, opened: Callable[[str], object] = lambda _: None
) -> int:
    """Serves until a signal comes; the exit status. `opened` is told the address of the first page."""
    try:
        listening = bind(Address(LOOPBACK, port), "--port")
    except PortTakenError:
        raise ClusterError(f"port {port} is already in use; --port 0 takes a free one") from None
    ending = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, ending.set)
    viewer = Viewer(library)
    await viewer.start(listening)
    page = (
        "compare"
        if (len(library.recordings) > 1 and not library.demo) or library.report
        else "run"
        if library.recordings
        else "simulation"
    )
    address = f"http://{LOOPBACK}:{listening.getsockname()[1]}/cluster/{page}"
    print(f"yarnbox: {address}\nCtrl-C ends it", flush=True)
    await asyncio.to_thread(opened, address)
    try:
        await ending.wait()
    finally:
        await viewer.stop()
    return 0
