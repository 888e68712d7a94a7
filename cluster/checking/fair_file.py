"""The fair scheduler's files of a configuration directory, read as the ResourceManager reads them.

For the commands that look at files without a cluster: check-conf and convert-conf.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from yarnbox.rm.scheduler.fair.allocation_file.allocations import AllocationDraft, Allocations
from yarnbox.rm.scheduler.fair.allocation_file.loader import local_path
from yarnbox.rm.scheduler.fair.queues.placement import Rule, read_rules, rules_of_properties
from yarnbox.rm.scheduler.fair.settings import FairConfiguration
from yarnbox.yarn.configuration import Configuration, ConfigurationError, Fault
from yarnbox.yarn.resources.resource_types import ResourceTypeRegistry

SITE = ("core-site.xml", "yarn-site.xml", "resource-types.xml")


@dataclass(frozen=True, slots=True)
class FairFiles:
    """What they say."""

    site: Configuration
    configuration: FairConfiguration
    types: ResourceTypeRegistry
    allocations: Allocations
    rules: tuple[Rule, ...]
    has_policy: bool
    """Whether the rules are those of the allocation file."""
    text: str
    """The allocation file, without what is faulty."""


def read_fair_files(
    directory: Path, *, skip_terminal_check: bool = False, faults: list[Fault] | None = None
) -> FairFiles:
    """The directory's yarn-site.xml and allocation file; ConfigurationError with file, line and reason.

    Where a list is given for the faults of the allocation file, they are put there, and the rest is read.
    """
    site = Configuration.load(directory, SITE)
    types = ResourceTypeRegistry.read(site)
    configuration = FairConfiguration.read(site, types)
    settings = configuration.settings
    path = directory / local_path(settings.allocation_file)
    rules = rules_of_properties(settings.allow_undeclared_pools, settings.user_as_default_queue)
    if not path.exists():
        raise ConfigurationError.of(path, "cannot be read: there is no such file")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError.of(path, f"cannot be read: {error}") from error
    draft = AllocationDraft(text, str(path), types.names, faults)
    found: tuple[Rule, ...] = ()
    policy = draft.placement_policy
    if policy is not None:
        try:
            found = read_rules(policy, str(path), draft.notices, skip_terminal_check=skip_terminal_check)
        except ConfigurationError as error:
            draft.leave_out_placement_policy(policy, error)
    allocations = draft.finish()
    sound = draft.sound_part() if faults else text
    return FairFiles(site, configuration, types, allocations, found or rules, bool(found), sound)
