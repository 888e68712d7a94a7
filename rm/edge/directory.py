"""The RM's configuration directory: files read anew for the refresh commands.

Hadoop: LocalConfigurationProvider and FileSystemBasedConfigurationProvider.
"""

from __future__ import annotations

from pathlib import Path

from yarnbox.yarn.configuration import Configuration, ConfigurationError, text_of


class ConfigurationDirectory:
    """One directory; what the command line set lies above its files at each reading."""

    def __init__(self, path: Path, base: Configuration, definitions: tuple[str, ...] = ()) -> None:
        """`base` brings environment and system properties and has no resources of its own."""
        self.path = path
        self._base = base
        self._definitions = definitions

    def load(self, *file_names: str) -> Configuration:
        """Reads these files; properties of later ones override earlier ones."""
        if not self.path.is_dir():
            raise ConfigurationError.of(self.path, "is not a directory, so it holds no configuration")
        return self._base.with_files(self.path, file_names).overlaid_by_arguments(self._definitions)

    def read_text(self, file_name: str) -> str | None:
        """The text of one file, by path or by name within the directory; None when there is none."""
        return text_of(self.path / file_name)

    def modified_ms(self, file_name: str) -> int | None:
        """When that file was written last; None when there is none."""
        try:
            return (self.path / file_name).stat().st_mtime_ns // 1_000_000
        except OSError:
            return None
