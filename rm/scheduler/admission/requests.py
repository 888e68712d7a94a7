"""Whether a request may be made at all, and what is made of it: validation and normalization.

Validation comes first and looks at what was asked; normalization raises, rounds and cuts. Pure: limits and
labels are handed in. Hadoop: SchedulerUtils and RMServerUtils.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol

from yarnbox.rm.asks import ANY
from yarnbox.rm.scheduler.calculator import Calculator
from yarnbox.yarn.errors import InvalidLabelResourceRequestError, InvalidResourceRequestError
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.resources.resource import NONE, Resource

MAX_CONTAINERS_PER_REQUEST = 10_000_000
"""A count above this is a mistake of the caller: refused, so that no amount overflows Hadoop's 64 bits."""


class LabelRules(Protocol):
    """The cluster's labels, as far as validation needs them."""

    is_enabled: bool

    def is_known(self, label: str) -> bool:
        """Whether the cluster has the label; the default partition always is."""
        ...


def validate_amounts(asked: Resource, maximum: Resource, types: Iterable[str]) -> None:
    """InvalidResourceRequestError when an amount is negative, too large, or of a type that the cluster does
    not have.
    """
    known = list(types)
    for name, value in asked.items():
        if value < 0:
            raise InvalidResourceRequestError(
                "Invalid resource request! Cannot allocate containers as requested resource is less than 0! "
                f"Requested resource type=[{name}], Requested resource={asked}"
            )
        if name not in known:
            raise InvalidResourceRequestError(
                f"Invalid resource request! unknown resource type [{name}], known are {', '.join(known)}"
            )
        if value > maximum.value(name):
            raise InvalidResourceRequestError(
                "Invalid resource request! Cannot allocate containers as requested resource is greater than "
                f"maximum allowed allocation. Requested resource type=[{name}], Requested resource={asked}, "
                f"maximum allowed allocation={maximum}"
            )


def enforced_label(label: str | None, app_label: str | None, enforced: Iterable[str]) -> str | None:
    """The label of a request at `*` where partitions are reserved for applications that name them.

    See tests/scenarios/labels/labels-enforced-partitions.yaml. Hadoop: enforcePartitionExclusivity.
    """
    partitions = tuple(enforced)
    return app_label if label in partitions or app_label in partitions else label


def validate_labels_enabled(request: ResourceRequest, labels: LabelRules) -> None:
    """InvalidLabelResourceRequestError for a label where node labels are disabled, before any other check."""
    if request.node_label_expression and not labels.is_enabled:
        raise InvalidLabelResourceRequestError(
            "Invalid resource request, node label not enabled but request contains label expression"
        )


def validate_label(
    request: ResourceRequest, labels: LabelRules, accessible: Iterable[str] | None, queue: str
) -> None:
    """InvalidLabelResourceRequestError when the label expression cannot be served.

    `accessible` are the labels of the queue, `*` for all of them; None while there is no such queue, which
    is judged no further.
    """
    given = request.node_label_expression or ""
    expression = given.strip()
    if not expression:
        return
    if request.resource_name != ANY:
        raise InvalidLabelResourceRequestError(
            f"Invalid resource request, queue={queue} specified node label expression in a resource request "
            f"has resource name = {request.resource_name}"
        )
    if "&&" in expression:
        raise InvalidLabelResourceRequestError(
            f"Invalid resource request, queue={queue} specified more than one node label in a node label "
            f"expression, node label expression = {expression}"
        )
    if accessible is None:
        return
    allowed = list(accessible)
    if ANY not in allowed and expression not in allowed:
        raise InvalidLabelResourceRequestError(
            f"Invalid resource request, queue={queue} doesn't have permission to access all labels in "
            f"resource request. labelExpression of resource request={expression}. "
            f"Queue labels={','.join(allowed)}"
        )
    if not labels.is_known(given):
        raise InvalidLabelResourceRequestError(
            f"Invalid label resource request, cluster do not contain , label= {given}"
        )


def validate_count(request: ResourceRequest) -> None:
    """InvalidResourceRequestError when the number of containers is out of range."""
    count = request.num_containers or 0
    if count < 0 or count > MAX_CONTAINERS_PER_REQUEST:
        raise InvalidResourceRequestError(
            f"Invalid resource request! num_containers={count} at {request.resource_name}, "
            f"allowed is 0 to {MAX_CONTAINERS_PER_REQUEST}"
        )


def normalize(
    request: ResourceRequest, calculator: Calculator, minimum: Resource, maximum: Resource, step: Resource
) -> ResourceRequest:
    """The request, its capability raised to the minimum, rounded up to the step, cut to the maximum."""
    capability = calculator.normalize(request.capability or NONE, minimum, maximum, step)
    return request if capability == request.capability else replace(request, capability=capability)
