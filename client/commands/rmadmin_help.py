"""What `yarn rmadmin` says about itself. Answers for the usage texts of RMAdminCLI and HAAdmin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Usage(NamedTuple):
    """A command's arguments, and what it does."""

    arguments: str
    description: str


USAGES: Mapping[str, Usage] = {
    "-refreshQueues": Usage("", "Has the scheduler read its configuration file again."),
    "-refreshNodes": Usage(
        "[-g|graceful [timeout in seconds] -client|server]",
        "Has the include and exclude lists read again. Excluded nodes are decommissioned at once; with -g "
        "they first finish what they run, at most until the timeout (none, or -1: for ever), for which this "
        "command waits with -client and the ResourceManager with -server.",
    ),
    "-refreshNodesResources": Usage("", "Has dynamic-resources.xml read again."),
    "-refreshSuperUserGroupsConfiguration": Usage("", "Has the rules for proxy users read again."),
    "-refreshUserToGroupsMappings": Usage("", "Has the groups of users looked up anew."),
    "-refreshAdminAcls": Usage("", "Has the list of administrators read again."),
    "-refreshServiceAcl": Usage("", "Has the service authorization policy read again."),
    "-getGroups": Usage("[username]", "Shows the groups of users."),
    "-addToClusterNodeLabels": Usage(
        '<"label1(exclusive=true),label2(exclusive=false),label3">',
        "Adds node labels to the cluster; a label is exclusive unless it says otherwise.",
    ),
    "-removeFromClusterNodeLabels": Usage(
        '<label1,label2,label3> (label splitted by ",")', "Takes node labels from the cluster."
    ),
    "-replaceLabelsOnNode": Usage(
        '<"node1[:port]=label1 node2[:port]=label2"> [-failOnUnknownNodes] ',
        "Sets the label of nodes, at most one for each; nothing behind the equals sign clears it.",
    ),
    "-directlyAccessNodeLabelStore": Usage("", "Deprecated, and not offered by yarnbox."),
    "-refreshClusterMaxPriority": Usage("", "Has the highest application priority read again."),
    "-updateNodeResource": Usage(
        "[NodeID] [MemSize] [vCores] ([OvercommitTimeout]) \n\t\tor\n\t\t[NodeID] [resourcetypes] "
        "([OvercommitTimeout]). ",
        "Changes what a node offers.",
    ),
}

HA_USAGES: Mapping[str, Usage] = {
    "-transitionToActive": Usage("[--forceactive] <serviceId>", "Would make a ResourceManager active."),
    "-transitionToStandby": Usage("<serviceId>", "Would make a ResourceManager wait."),
    "-failover": Usage("<serviceId> <serviceId>", "Would let one ResourceManager take over from another."),
    "-getServiceState": Usage("<serviceId>", "Shows whether a ResourceManager is active."),
    "-getAllServiceState": Usage("", "Shows it for all ResourceManagers."),
    "-checkHealth": Usage("<serviceId>", "Tells by its exit status whether a ResourceManager is well."),
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
