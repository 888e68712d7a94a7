"""The committer of an output: by its path, or by its URL."""

from __future__ import annotations

from pathlib import Path

from yarnbox.am.mapreduce.committers.directories import OutputCommitter
from yarnbox.am.mapreduce.committers.protocol import Committer
from yarnbox.yarn.storage.urls import is_remote


def committer_of(
    output: str, app_attempt: int, algorithm: int = 1, *, marks: bool = True, work: Path = Path()
) -> Committer:
    """The committer of a path or URL; of a URL, tasks write below `work`."""
    if is_remote(output):
        from yarnbox.am.mapreduce.committers.manifests import ManifestCommitter  # which few tasks need

        return ManifestCommitter(output, app_attempt, work, marks=marks)
    return OutputCommitter(Path(output), app_attempt, algorithm, marks=marks)
