"""The charts of the pages of the cluster and of queues, made of the series that REST answers."""

from __future__ import annotations

from yarnbox.rm.web.pages.blocks import chart, folded, heading, line, paragraph, section
from yarnbox.rm.web.values import Answer

_MOST_CHARTS = 8
_FAIR = (("steady fair share", "guaranteed", "dashed"), ("fair share now", "fair", "dotted"))
_CAPACITY = (("guaranteed", "guaranteed", "dashed"), ("maximum", "maximum", "dotted"))
"""The lines beside the used share of a queue: what is due to it."""
_MARKS = (
    "Vertical lines: preemption requested, container preempted, application moved, queues changed, "
    "node added or lost."
)
_MARKS_OF_FIFO = "Vertical lines: node added or lost."


def cluster_charts(past: Answer, queues: Answer, *, is_labelled: bool, is_run: bool) -> list[Answer]:
    """Use by queue, and counts. `is_labelled` says that some nodes are in other partitions, `is_run` that the
    run is over.
    """
    times = past["times"]
    counts = [
        line("containers", past["containers"], hue=2),
        line("applications with a container", past["appsRunning"], hue=0),
        line("applications without one", past["appsPending"], hue=1),
    ]
    whole = "default partition" if is_labelled else "cluster"
    return [
        heading(f"Use over the {'whole run' if is_run else 'last hour'}, by queue"),
        section(
            [
                _stacked(f"Share of the {whole} used", queues),
                chart("Containers and applications", times, counts, unit="count"),
            ],
            "charts",
        ),
    ]


def queue_charts(history: Answer, scheduler: str) -> list[Answer]:
    """The shares of the queues below one, stacked, and then each beside what is due to it; or of one queue
    that has none below it.
    """
    if scheduler == "FifoScheduler":
        return [_stacked("Used share of each queue", history), paragraph(_MARKS_OF_FIFO, "legend")]
    is_fair = scheduler == "FairScheduler"
    each = [part for one in history["queue"][:_MOST_CHARTS] for part in _one(one, history, is_fair=is_fair)]
    marks = paragraph(_MARKS, "legend")
    if len(history["queue"]) == 1:  # which is not a part of anything
        return [*each, marks]
    due = "fair share" if is_fair else "guarantee and maximum"
    more = [folded(f"Each queue and its {due}", [section(each, "charts")])] if each else []
    return [_stacked("Used share of each queue", history), marks, *more]


def _stacked(what: str, history: Answer) -> Answer:
    series = [line(one["path"], one["used"]) for one in history["queue"]]
    return chart(what, history["times"], series, marks=history["mark"], isStacked=True)


def _one(queue: Answer, history: Answer, *, is_fair: bool) -> list[Answer]:
    path, due = queue["path"], _FAIR if is_fair else _CAPACITY
    series = [line("used", queue["used"])]
    series += [line(name, queue[key], dashed=dashed) for name, key, dashed in due]
    what = f"{path}: used and {'fair share' if is_fair else 'guarantee'}"
    drawn = chart(what, history["times"], series, marks=history["mark"])
    return [section([heading(path, 3), drawn])]
