"""What `yarn rmadmin` says about itself. Hadoop: the usage texts of RMAdminCLI and HAAdmin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Usage(NamedTuple):
    """A command's arguments, and what it does."""

    arguments: str
    description: str


USAGES: Mapping[str, Usage] = {
    "-refreshQueues": Usage("", "Reloads the scheduler's configuration file."),
    "-refreshNodes": Usage(
        "[-g|graceful [timeout in seconds] -client|server]",
        "Reloads the include and exclude lists. Excluded nodes are decommissioned at once; with -g "
        "they first finish what they run, at most until the timeout (none, or -1: without "
        "limit), for which this "
        "command waits with -client and the ResourceManager with -server.",
    ),
    "-refreshNodesResources": Usage("", "Reloads dynamic-resources.xml."),
    "-refreshSuperUserGroupsConfiguration": Usage("", "Reloads the rules for proxy users."),
    "-refreshUserToGroupsMappings": Usage("", "Looks up the groups of users again."),
    "-refreshAdminAcls": Usage("", "Reloads the list of administrators."),
    "-refreshServiceAcl": Usage("", "Reloads the service authorization policy."),
    "-getGroups": Usage("[username]", "Shows the groups of users."),
    "-addToClusterNodeLabels": Usage(
        '<"label1(exclusive=true),label2(exclusive=false),label3">',
        "Adds node labels to the cluster; a label is exclusive unless it says otherwise.",
    ),
    "-removeFromClusterNodeLabels": Usage(
        '<label1,label2,label3> (label splitted by ",")', "Removes node labels from the cluster."
    ),
    "-replaceLabelsOnNode": Usage(
        '<"node1[:port]=label1 node2[:port]=label2"> [-failOnUnknownNodes] ',
        "Sets the label of nodes, at most one for each; an empty label clears it.",
    ),
    "-directlyAccessNodeLabelStore": Usage("", "Deprecated; yarnbox does not offer it."),
    "-refreshClusterMaxPriority": Usage("", "Reloads the highest application priority."),
    "-updateNodeResource": Usage(
        "[NodeID] [MemSize] [vCores] ([OvercommitTimeout]) \n\t\tor\n\t\t[NodeID] [resourcetypes] "
        "([OvercommitTimeout]). ",
        "Changes the resources of a node.",
    ),
}

HA_USAGES: Mapping[str, Usage] = {
    "-transitionToActive": Usage("[--forceactive] <serviceId>", "Makes a ResourceManager active."),
    "-transitionToStandby": Usage("<serviceId>", "Makes a ResourceManager a standby."),
    "-getServiceState": Usage("<serviceId>", "Shows whether a ResourceManager is active."),
    "-getAllServiceState": Usage("", "Shows which ResourceManagers are active."),
    "-checkHealth": Usage("<serviceId>", "Exits with 0 if a ResourceManager is healthy."),
}


def usage(command: str, ha_enabled: bool) -> str:
    """The usage of one command, or of all if there is no such command."""
    found = USAGES.get(command) or HA_USAGES.get(command)
    if found is None:
        shown = {**USAGES, **(HA_USAGES if ha_enabled else {})}
        lines = [f"   {name} {one.arguments}" for name, one in shown.items()]
        return "\n".join(["Usage: yarn rmadmin", *lines, "   -help [cmd]", ""])
    gap = " " if found.arguments else ""
    text = f"Usage: yarn rmadmin [{command}{gap}{found.arguments}]\n"
    if command in HA_USAGES:
        text += f"{command} can only be used when RM HA is enabled"
    return text


def help_text(ha_enabled: bool) -> str:
    """The whole syntax on one line, then each command with what it does."""
    shown = {**USAGES, **(HA_USAGES if ha_enabled else {})}
    syntax = "".join(f" [{name}{' ' if one.arguments else ''}{one.arguments}]" for name, one in shown.items())
    lines = [
        f"   {name}{' ' if one.arguments else ''}{one.arguments}: {one.description}"
        for name, one in shown.items()
    ]
    return "\n".join(
        [
            "rmadmin is the command to execute YARN administrative commands.",
            "The full syntax is: ",
            "",
            f"yarn rmadmin{syntax} [-help [cmd]]",
            "",
            *lines,
            "   -help [cmd]: Shows the help of one command, or this.",
            "",
        ]
    )
