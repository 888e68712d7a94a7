"""The properties of a job: Hadoop's names, defaults and units.

What Hadoop gives as a class name in Java is a dotted Python name here. A few defaults differ, since input is
small and everything runs on one machine; docs/mapreduce.md lists them. Hadoop: MRJobConfig and
mapred-default.xml.
"""

from __future__ import annotations

from collections.abc import Iterator

from yarnbox.am.mapreduce.codecs import CODEC_NAMES, RESULT_CODECS, codec_name, result_codec_name
from yarnbox.am.mapreduce.history.settings import HistorySettings
from yarnbox.am.mapreduce.input import input_format_name
from yarnbox.am.mapreduce.output import output_format_name
from yarnbox.am.mapreduce.shuffle.fetched import FetchLimits
from yarnbox.am.mapreduce.speculation.settings import SpeculationSettings
from yarnbox.yarn.settings import Conflict, group, setting, settings

JOB_FILE = "job.xml"
"""The properties of a job, in its staging directory."""

RESOURCES = "yarnbox.mapreduce.resources"
JOB_FILE_VARIABLE = "YARNBOX_JOB_FILE"
"""In the AM's environment: the job's file as a resource for tasks, where they share no directory with it."""


SPLIT_NAMES = ("off", "admission")


def _split_name(text: str) -> str:
    name = text.strip()
    if name not in SPLIT_NAMES:
        raise ValueError("one of " + ", ".join(SPLIT_NAMES))
    return name


@settings
class SplitSettings:
    """Whether reduces copy and compute in containers of two sizes."""

    split: str = setting(
        "yarnbox.mapreduce.reduce.split",
        "off",
        "off, or admission: reduces copy in small containers, which grow when they compute",
        parse=_split_name,
    )
    copy_memory_mb: int = setting(
        "yarnbox.mapreduce.reduce.copy.memory.mb",
        0,
        "memory of a reduce that copies; 0: a quarter of mapreduce.reduce.memory.mb",
        at_least=0,
    )
    copy_limit: float = setting(
        "yarnbox.mapreduce.reduce.copy.limit",
        0.1,
        "share of the job's memory that copies while maps run",
        at_least=0,
        at_most=1,
    )
    most_computing: int = setting(
        "yarnbox.mapreduce.reduce.compute.max",
        0,
        "reduces of the job that compute at a time; 0: no limit",
        at_least=0,
    )
    most_computing_per_node: int = setting(
        "yarnbox.mapreduce.reduce.compute.max-per-node",
        0,
        "the same on one node",
        at_least=0,
    )
    patience_ms: int = setting(
        "yarnbox.mapreduce.reduce.compute.wait-ms",
        10_000,
        "how long copies wait for room while none of the job computes, until one is given up",
        unit="ms",
        at_least=1,
    )


@settings
class JobSettings:
    """Everything that the client, the AM and the tasks of a job are told by properties."""

    name: str = setting("mapreduce.job.name", "", "the job's name")
    queue: str = setting("mapreduce.job.queuename", "default", "the queue it is submitted to")
    user: str = setting("mapreduce.job.user.name", "", "the user whose job it is")
    priority: int = setting("mapreduce.job.priority.value", 0, "the application's priority", at_least=0)
    tags: tuple[str, ...] = setting("mapreduce.job.tags", (), "tags of the application")

    # Labels; unset is not the same as empty, so these are optional.
    job_label: str | None = setting(
        "mapreduce.job.node-label-expression", None, "label of all containers of the job"
    )
    am_label: str | None = setting("mapreduce.job.am.node-label-expression", None, "label of the AM")
    map_label: str | None = setting("mapreduce.map.node-label-expression", None, "label of the maps")
    reduce_label: str | None = setting("mapreduce.reduce.node-label-expression", None, "label of the reduces")

    # Sizes.
    am_memory_mb: int = setting("yarn.app.mapreduce.am.resource.mb", 1536, "memory of the AM", at_least=0)
    am_vcores: int = setting("yarn.app.mapreduce.am.resource.cpu-vcores", 1, "vcores of the AM", at_least=1)
    map_memory_mb: int = setting("mapreduce.map.memory.mb", 1024, "memory of a map", at_least=0)
    map_vcores: int = setting("mapreduce.map.cpu.vcores", 1, "vcores of a map", at_least=1)
    reduce_memory_mb: int = setting("mapreduce.reduce.memory.mb", 1024, "memory of a reduce", at_least=0)
    reduce_vcores: int = setting("mapreduce.reduce.cpu.vcores", 1, "vcores of a reduce", at_least=1)

    # The work.
    mapper: str = setting("mapreduce.job.map.class", "", "dotted name of the mapper")
    combiner: str = setting("mapreduce.job.combine.class", "", "dotted name of the combiner, if any")
    reducer: str = setting("mapreduce.job.reduce.class", "", "dotted name of the reducer")
    input_format: str = setting(
        "mapreduce.job.inputformat.class",
        "TextInputFormat",
        "how files become records",
        parse=input_format_name,
    )
    output_format: str = setting(
        "mapreduce.job.outputformat.class",
        "TextOutputFormat",
        "how results are written: lines, or BytesOutputFormat: key and value as they are",
        parse=output_format_name,
    )
    partitioner: str = setting(
        "mapreduce.job.partitioner.class",
        "yarnbox.am.mapreduce.shuffle.map_output.hash_partition",
        "key to reduce",
    )
    maps: int = setting(
        "mapreduce.job.maps", 2, "number of maps where no input decides: of teragen", at_least=1
    )
    reduces: int = setting("mapreduce.job.reduces", 1, "number of reduces", at_least=0)
    python_path: tuple[str, ...] = setting(
        "yarnbox.mapreduce.python.path", (), "directories of the user's mapper and reducer"
    )

    cache_files: tuple[str, ...] = setting(
        "mapreduce.job.cache.files", (), "files for the tasks' directories; PATH#NAME gives one a name"
    )
    cache_archives: tuple[str, ...] = setting(
        "mapreduce.job.cache.archives", (), "the same for archives, which are unpacked"
    )

    # Input and output.
    input_paths: tuple[str, ...] = setting("mapreduce.input.fileinputformat.inputdir", (), "what is read")
    output_dir: str = setting("mapreduce.output.fileoutputformat.outputdir", "", "where results go")
    split_min_bytes: int = setting(
        "mapreduce.input.fileinputformat.split.minsize",
        1,
        "no split is smaller, unless its files are",
        at_least=0,
    )
    split_max_bytes: int = setting(
        "mapreduce.input.fileinputformat.split.maxsize",
        0,
        "no split is larger; 0: an eighth of the input, from 8 MiB to a block",
        at_least=0,
    )
    recursive: bool = setting(
        "mapreduce.input.fileinputformat.input.dir.recursive", True, "directories with all that is below them"
    )
    block_bytes: int = setting("dfs.blocksize", 64 << 20, "size of the emulated blocks", at_least=1024)
    replication: int = setting("dfs.replication", 3, "replicas of an emulated block", at_least=1)

    # Failures.
    map_attempts: int = setting(
        "mapreduce.map.maxattempts", 4, "failures of a map that fail the job", at_least=1
    )
    reduce_attempts: int = setting(
        "mapreduce.reduce.maxattempts", 4, "failures of a reduce that fail the job", at_least=1
    )
    am_attempts: int = setting("mapreduce.am.max-attempts", 2, "lives of the AM", at_least=1)
    map_failures_percent: int = setting(
        "mapreduce.map.failures.maxpercent", 0, "maps that may fail", at_least=0, at_most=100
    )
    reduce_failures_percent: int = setting(
        "mapreduce.reduce.failures.maxpercent", 0, "reduces that may fail", at_least=0, at_most=100
    )
    ends_with_reduces: bool = setting(
        "mapreduce.job.finish-when-all-reducers-done", True, "then maps that run again are killed"
    )
    commit_algorithm: int = setting(
        "mapreduce.fileoutputcommitter.algorithm.version",
        1,
        "1: output appears with the job's commit; 2: with each task's",
        at_least=1,
        at_most=2,
    )
    marks_success: bool = setting(
        "mapreduce.fileoutputcommitter.marksuccessfuljobs", True, "whether _SUCCESS is written"
    )
    commit_window_ms: int = setting(
        "yarn.app.mapreduce.am.job.committer.commit-window",
        10_000,
        "an AM commits only if the RM has answered it within this time",
        unit="ms",
        at_least=0,
    )
    host_failures: int = setting(
        "mapreduce.job.maxtaskfailures.per.tracker", 3, "failures after which a host is avoided", at_least=1
    )
    is_blacklisting: bool = setting(
        "yarn.app.mapreduce.am.job.node-blacklisting.enable", True, "whether hosts are avoided at all"
    )
    blacklisting_ceiling_percent: int = setting(
        "yarn.app.mapreduce.am.job.node-blacklisting.ignore-threshold-node-percent",
        33,
        "avoided share of the cluster from which on none is avoided; -1: no limit",
        at_least=-1,
        at_most=100,
    )
    skip_start_attempts: int = setting(
        "mapreduce.task.skip.start.attempts",
        2,
        "failed attempts after which a task looks for bad records",
        at_least=1,
    )
    skip_map_records: int = setting(
        "mapreduce.map.skip.maxrecords",
        0,
        "records that may be left out around one that kills its map; 0: none",
        at_least=0,
    )
    skip_reduce_groups: int = setting(
        "mapreduce.reduce.skip.maxgroups",
        0,
        "groups that may be left out around one that kills its reduce; 0: none",
        at_least=0,
    )
    skip_dir: str = setting(
        "mapreduce.job.skip.outdir",
        "",
        "where they are kept; else _logs/skip of the output; the word none: nowhere",
    )
    task_timeout_ms: int = setting(
        "mapreduce.task.timeout", 600_000, "idleness that ends a task; 0: no limit", at_least=0
    )
    stuck_timeout_ms: int = setting(
        "mapreduce.task.stuck.timeout-ms",
        600_000,
        "time in which a launched task has to report for the first time; 0: no limit",
        at_least=0,
    )
    exit_timeout_ms: int = setting(
        "mapreduce.task.exit.timeout", 60_000, "time for a process to end after its task", at_least=1
    )
    fetch_failure_fraction: float = setting(
        "mapreduce.reduce.shuffle.max-fetch-failures-fraction",
        0.5,
        "share of the shuffling reduces that must complain of a map",
        at_least=0,
        at_most=1,
    )
    fetch_failure_reports: int = setting(
        "mapreduce.reduce.shuffle.max-fetch-failures-notifications",
        3,
        "complaints that a map must get",
        at_least=1,
    )
    hard_kill_timeout_ms: int = setting(
        "yarn.app.mapreduce.am.hard-kill-timeout-ms", 10_000, "time for the AM to end the job", at_least=0
    )
    is_recovering: bool = setting(
        "yarn.app.mapreduce.am.job.recovery.enable", True, "whether a next AM takes over what is done"
    )

    # Uber mode.
    uber_enabled: bool = setting(
        "mapreduce.job.ubertask.enable", False, "whether small jobs run in their AM's container"
    )
    uber_maps: int = setting("mapreduce.job.ubertask.maxmaps", 9, "maps of a small job", at_least=0)
    uber_reduces: int = setting(
        "mapreduce.job.ubertask.maxreduces", 1, "reduces of a small job", at_least=0, at_most=1
    )
    uber_bytes: int = setting(
        "mapreduce.job.ubertask.maxbytes", 0, "input of a small job; 0: a block", at_least=0
    )

    # Scheduling.
    heartbeat_ms: int = setting(
        "yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms", 1000, "the AM's heartbeat", at_least=1
    )
    slowstart: float = setting(
        "mapreduce.job.reduce.slowstart.completedmaps",
        0.05,
        "share of maps done before reduces",
        at_least=0,
        at_most=1,
    )
    rampup_limit: float = setting(
        "yarn.app.mapreduce.am.job.reduce.rampup.limit",
        0.5,
        "share of memory for reduces while maps wait",
        at_least=0,
        at_most=1,
    )
    preemption_limit: float = setting(
        "yarn.app.mapreduce.am.job.reduce.preemption.limit",
        0.5,
        "share of memory taken from reduces at once",
        at_least=0,
        at_most=1,
    )
    reducer_preempt_delay_s: int = setting(
        "mapreduce.job.reducer.preempt.delay.sec",
        0,
        "how long a map starves before reduces give way; below zero: they never do",
    )
    unconditional_preempt_delay_s: int = setting(
        "mapreduce.job.reducer.unconditional-preempt.delay.sec",
        300,
        "how long it starves before they do although there seems to be room; below zero: never",
    )
    tasks_per_container: int = setting(
        "mapreduce.job.jvm.numtasks",
        1,
        "tasks that a container runs one after another; -1: no limit",
        at_least=-1,
    )
    most_running_maps: int = setting(
        "mapreduce.job.running.map.limit", 0, "maps that run at a time; 0: no limit", at_least=0
    )
    most_running_reduces: int = setting(
        "mapreduce.job.running.reduce.limit", 0, "reduces that run at a time; 0: no limit", at_least=0
    )

    speculation: SpeculationSettings = group(SpeculationSettings)
    split: SplitSettings = group(SplitSettings)

    # Tasks.
    report_interval_ms: int = setting(
        "mapreduce.task.progress-report.interval", 1000, "how often a task tells how far it is", at_least=10
    )
    turn_ms: int = setting(
        "yarnbox.mapreduce.task.turn-ms",
        100,
        "how long a task that computes keeps a core where others want it; 0: as long as the kernel lets it",
        at_least=0,
        at_most=10_000,
    )
    sort_mb: int = setting(
        "mapreduce.task.io.sort.mb", 100, "map output kept in memory", at_least=1, at_most=2047
    )
    sort_spill_percent: float = setting(
        "mapreduce.map.sort.spill.percent", 0.8, "share of it that is spilled", above=0, at_most=1
    )
    sort_factor: int = setting("mapreduce.task.io.sort.factor", 10, "runs merged at once", at_least=2)
    combine_spills: int = setting(
        "mapreduce.map.combine.minspills", 3, "spills whose merge runs the combiner again", at_least=1
    )
    most_spills: int = setting(
        "mapreduce.task.spill.files.count.limit", -1, "more spills fail a map; -1: no limit", at_least=-1
    )
    compresses_map_output: bool = setting(
        "mapreduce.map.output.compress", False, "whether the output of maps is compressed"
    )
    map_output_codec: str = setting(
        "mapreduce.map.output.compress.codec",
        "DefaultCodec",
        "how: " + ", ".join(CODEC_NAMES),
        parse=codec_name,
    )
    compresses_output: bool = setting(
        "mapreduce.output.fileoutputformat.compress", False, "whether the results are compressed"
    )
    output_codec: str = setting(
        "mapreduce.output.fileoutputformat.compress.codec",
        "DefaultCodec",
        "how: " + ", ".join(RESULT_CODECS),
        parse=result_codec_name,
    )
    slot_memory_mb: int = setting(
        "yarn.scheduler.minimum-allocation-mb", 1024, "what SLOTS_MILLIS_* count as one slot", at_least=1
    )
    counters: int = setting("mapreduce.job.counters.max", 120, "counters of their own that tasks may have")
    counter_groups: int = setting("mapreduce.job.counters.groups.max", 50, "groups of them")
    counter_group_name: int = setting(
        "mapreduce.job.counters.group.name.max", 128, "length of a group's name; what is longer is cut"
    )
    counter_name: int = setting("mapreduce.job.counters.counter.name.max", 64, "length of a counter's name")
    heap_ratio: float = setting(
        "mapreduce.job.heap.memory-mb.ratio",
        0.8,
        "share of a container that its task uses",
        above=0,
        at_most=1,
    )
    reduce_total_bytes: int = setting(
        "mapreduce.reduce.memory.totalbytes",
        0,
        "memory of a reduce; 0: that share of its container",
        at_least=0,
    )
    fetch_buffer_percent: float = setting(
        "mapreduce.reduce.shuffle.input.buffer.percent",
        0.7,
        "share of it that holds what is fetched",
        at_least=0,
        at_most=1,
    )
    fetch_memory_limit_percent: float = setting(
        "mapreduce.reduce.shuffle.memory.limit.percent",
        0.25,
        "share of that buffer above which an output goes to a file",
        at_least=0,
        at_most=1,
    )
    fetch_merge_percent: float = setting(
        "mapreduce.reduce.shuffle.merge.percent",
        0.66,
        "share of that buffer from which on it is merged into a file",
        above=0,
        at_most=1,
    )
    reduce_buffer_percent: float = setting(
        "mapreduce.reduce.input.buffer.percent",
        0.0,
        "share of the reduce's memory that stays filled while it reduces",
        at_least=0,
        at_most=1,
    )
    fetchers: int = setting("mapreduce.reduce.shuffle.parallelcopies", 5, "parallel fetches", at_least=1)
    fetch_timeout_ms: int = setting(
        "mapreduce.reduce.shuffle.connect.timeout", 20_000, "time to reach a shuffle service", at_least=1
    )
    fetch_retry_ms: int = setting(
        "mapreduce.reduce.shuffle.retry-delay.max.ms", 5_000, "longest pause between fetches", at_least=1
    )

    resources: tuple[str, ...] = setting(
        RESOURCES, (), "what each task finds in its working directory: the client writes it"
    )

    # Places.
    staging_dir: str = setting(
        "yarn.app.mapreduce.am.staging-dir", "/tmp/hadoop-yarn/staging", "where a job waits for its AM"
    )
    history: HistorySettings = group(HistorySettings)

    def conflicts(self) -> Iterator[Conflict]:
        """An output that fits in memory must not be as large as what starts a merge."""
        limits = self.fetch_limits()
        if limits.largest_bytes >= limits.merge_bytes > 0:
            yield Conflict(
                "mapreduce.reduce.shuffle.memory.limit.percent",
                f"less than mapreduce.reduce.shuffle.merge.percent, which is {self.fetch_merge_percent}",
            )

    def silence_ms(self) -> int:
        """How long a task may do nothing: at least two of its reports; 0 is without limit."""
        return max(self.task_timeout_ms, 2 * self.report_interval_ms) if self.task_timeout_ms else 0

    def fetch_limits(self, memory_mb: int | None = None) -> FetchLimits:
        """How much of what a reduce fetches is in memory, in a container of its size or of another one."""
        size_mb = self.reduce_memory_mb if memory_mb is None else memory_mb
        total = self.reduce_total_bytes or int((size_mb << 20) * self.heap_ratio)
        buffer = int(total * self.fetch_buffer_percent)
        return FetchLimits(
            memory_bytes=buffer,
            largest_bytes=int(min(buffer * self.fetch_memory_limit_percent, 2**31 - 1)),
            merge_bytes=int(buffer * self.fetch_merge_percent),
            keep_bytes=int(total * self.reduce_buffer_percent),
            factor=self.sort_factor,
        )
