"""Small plausible faults of the ResourceManager, the NodeManager and the library for AMs.

`python -m tests.testing.walk.mutation` plays them: the walks of yarnbox.testing.walk must notice each. Rules
that only decide *who* gets a container are not here; tests/hadoop/mutants.py has those. Nor is what another
rule makes good at the next heartbeat: that breaks no promise. Nor is an answer that says too early that an
end is stored: a driver gives no answer before all that follows from a call is stored, whatever it says.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.mutants import Mutant


def _in(file: str, *rows: tuple[str, str, str]) -> Iterator[Mutant]:
    return (Mutant(name, file, before, after) for name, before, after in rows)


MUTANTS = (
    # Applications and attempts
    *_in(
        "rm/app/entity.py",
        (
            "one attempt too few",
            "self.counted_failures() < self.max_attempts",
            "self.counted_failures() + 1 < self.max_attempts",
        ),
        (
            "one attempt too many",
            "self.counted_failures() < self.max_attempts",
            "self.counted_failures() <= self.max_attempts",
        ),
        (
            "every end of an attempt counts as a failure",
            "if attempt.counts_as_failure())",
            "if attempt.counts_as_failure() or attempt is not self.current)",
        ),
    ),
    *_in(
        "rm/app/life.py",
        (
            "a stored end is not recovered",
            "    if stored.final_state is not None:\n        _recover_attempts(app)\n",
            "    if stored.final_state == FINISHED.name:\n        _recover_attempts(app)\n",
        ),
        (
            "an application without attempts is forgotten by recovery",
            "    # The scheduler has to know the",
            "    if not app.attempts:\n        return SUBMITTED\n    # The scheduler has to know the",
        ),
        (
            "the scheduler learns of recovered applications too late",
            "    context.scheduler.handle(_scheduler_event(app, is_recovering=bool(app.attempts)))\n",
            "    context.post(_scheduler_event(app, is_recovering=bool(app.attempts)))\n",
        ),
        (
            "nodes are not told that an application has ended",
            "    for node_id in app.ran_nodes.take_all():",
            "    for node_id in app.ran_nodes.take_all()[1:]:",
        ),
        (
            "an application stays in the scheduler when it ends",
            "    if app.recovered is None or app.recovered.final_state is None:\n",
            "    if app.recovered is None:\n",
        ),
        (
            "an ended application does not clean a node up",
            '    """APP_RUNNING_ON_NODE after the end: clean up there at once."""\n    app.context.post(',
            '    """APP_RUNNING_ON_NODE after the end: clean up there at once."""\n    (lambda event: None)(',
        ),
    ),
    *_in(
        "rm/app/entity.py",
        (
            "a submission is acknowledged and not stored",
            "    app.context.store(\n        (APPLICATION, str(app.application_id)),",
            "    app.context.store(\n        (APPLICATION, str(app.application_id.id % 2)),",
        ),
        (
            "the number of attempts is not stored",
            '"max_attempts": app.max_attempts,',
            '"max_attempts": 1,',
        ),
    ),
    *_in(
        "rm/attempt/entity.py",
        (
            "the end of an attempt is not stored",
            '"final_state": final_state,',
            '"final_state": None,',
        ),
        (
            "the AM's container is not stored",
            '"master_container": None if container is None else attempt.context.wire.to_text(container),',
            '"master_container": None,',
        ),
        (
            "the exit status of an AM is not stored",
            '"am_exit_status": am_exit_status,',
            '"am_exit_status": INVALID,',
        ),
    ),
    *_in(
        "rm/attempt/beginning.py",
        (
            "a recovered attempt is not watched",
            "    record_launched(attempt, event)\n    return LAUNCHED\n",
            "    return LAUNCHED\n",
        ),
        (
            "a recovered attempt is not served",
            "    if context.settings.work_preserving:\n        _open_session(attempt)\n",
            "    if context.settings.work_preserving:\n",
        ),
        (
            "an AM's container that is not there yet is not looked for again",
            "        context.timer_at(context.now_ms + RETRY_MS,",
            "        context.timer_at(context.now_ms + 10**10 * RETRY_MS,",
        ),
        (
            "a recovered attempt whose end was stored is not concluded",
            "        if app.current is attempt and not app.is_in_final_state:",
            "        if app.current is not attempt and not app.is_in_final_state:",
        ),
    ),
    *_in(
        "rm/attempt/ending.py",
        (
            "an attempt that ends is served on",
            "    context.am_sessions.pop(attempt.attempt_id, None)\n",
            "",
        ),
        (
            "an AM that was killed is not stopped",
            "    if container is not None and container.node_id is not None:\n        attempt.context.order(",
            "    if container is None and container.node_id is not None:\n        attempt.context.order(",
        ),
        (
            "an attempt leaves the scheduler only when it has finished",
            "    context.post(\n        SchedulerAppAttemptRemoved(",
            "    state is FINISHED and context.post(\n        SchedulerAppAttemptRemoved(",
        ),
    ),
    # Nodes
    *_in(
        "rm/services/tracker.py",
        (
            "a heartbeat is no sign of life",
            "        context.monitors.node.ping(node_id, context.now_ms)\n",
            "",
        ),
        (
            "a repeated heartbeat is taken for a new one",
            "        if next_response_id(asked) == last:\n            return node.response\n",
            "        if next_response_id(asked) == last:\n            asked = last\n",
        ),
        (
            "the answer to a lost heartbeat is not repeated",
            "        if next_response_id(asked) == last:\n            return node.response\n",
            (
                "        if next_response_id(asked) == last:\n"
                "            return NodeHeartbeatResponse(response_id=last, node_action=NodeAction.NORMAL)\n"
            ),
        ),
        (
            "a node is not told what to clean up",
            "containers_to_cleanup=tuple(node.containers_to_clean.take_all()),",
            "containers_to_cleanup=tuple(node.containers_to_clean.take_all())[1:],",
        ),
        (
            "a node is not told which applications have ended",
            "applications_to_cleanup=tuple(node.finished_apps.take_all()),",
            "applications_to_cleanup=tuple(node.finished_apps.take_all())[1:],",
        ),
        (
            "a node that registers is not watched",
            "        context.monitors.node.register(node_id, context.now_ms)\n",
            "",
        ),
    ),
    *_in(
        "rm/node/entity.py",
        (
            "a container that is not reported any more is overlooked",
            "        if running_count < len(self.launched):\n",
            "        if running_count + 1 < len(self.launched):\n",
        ),
        (
            "a container's end is told to the scheduler twice",
            (
                "        if container_id not in self.completed:\n"
                "            self.completed.add(container_id)\n"
                "            self._new_completed.append(status)\n\n"
            ),
            "        self.completed.add(container_id)\n        self._new_completed.append(status)\n\n",
        ),
        (
            "the scheduler hears of a node once",
            "        self._may_update = True\n        return launched, completed",
            "        return launched, completed",
        ),
    ),
    *_in(
        "rm/node/life.py",
        (
            "containers of a node that comes back empty are kept",
            "        context.post(SchedulerNodeRemoved(node_id=node.node_id))\n        node.http_port",
            "        node.http_port",
        ),
        (
            "a node that registers again does not say what it runs",
            (
                "    node.handle_statuses(tuple(_as_status(report) for report in event.container_statuses))\n"
                "    are_there ="
            ),
            "    are_there =",
        ),
    ),
    # Containers and books
    *_in(
        "rm/container.py",
        (
            "space is freed before the node says so",
            "        if container_id in self.launched and not is_reported_by_node:\n",
            "        if container_id in self.launched and not container:\n",
        ),
        (
            "a container is not cleaned up on its node",
            "    context.monitors.container.unregister(container.container_id)\n    context.post(",
            "    context.monitors.container.unregister(container.container_id)\n    (lambda event: None)(",
        ),
        (
            "a container that is never started is not missed",
            "    context.monitors.container.register(container.container_id, context.now_ms)\n",
            "",
        ),
        (
            "a container that ended while the RM was away is recovered as running",
            "    if report.container_state is not ContainerState.COMPLETE:\n        return RUNNING\n",
            "    if report.container_id is not None:\n        return RUNNING\n",
        ),
        (
            "the end of a container is told to nobody",
            "    for watcher in context.container_watchers:\n        watcher(container)\n    context.post(",
            (
                "    for watcher in context.container_watchers:\n        watcher(container)\n"
                "    if not container.is_am and status.exit_status < -100:\n        return\n    context.post("
            ),
        ),
    ),
    *_in(
        "rm/scheduler/base.py",
        (
            "a lost node's reservation is kept",
            (
                "        if reserved is not None:\n"
                "            status = aborted(reserved.container_id, LOST_CONTAINER)\n"
            ),
            (
                "        if reserved is not None and reserved.is_am:\n"
                "            status = aborted(reserved.container_id, LOST_CONTAINER)\n"
            ),
        ),
        (
            "containers of a lost node are not ended",
            (
                "        for container in node.in_hash_order():\n"
                "            status = aborted(container.container_id, LOST_CONTAINER)\n"
            ),
            (
                "        for container in node.in_hash_order()[1:]:\n"
                "            status = aborted(container.container_id, LOST_CONTAINER)\n"
            ),
        ),
        (
            "a container that nobody knows runs on",
            "        if container is None:\n            self.context.post(NodeCleanup",
            "        if container is None:\n            (lambda event: None)(NodeCleanup",
        ),
        (
            "an attempt's reservations outlive it",
            (
                "        for container in attempt.reserved_in_hash_order():\n"
                "            status = aborted(container.container_id, COMPLETED_APPLICATION)\n"
            ),
            (
                "        for container in attempt.reserved_in_hash_order()[1:]:\n"
                "            status = aborted(container.container_id, COMPLETED_APPLICATION)\n"
            ),
        ),
        (
            "a recovered AM is waited for as if it were to come",
            "not application.is_unmanaged and not has_am",
            "not application.is_unmanaged",
        ),
        (
            "the scheduler does not wait for nodes to come back",
            "not self.is_waiting_for_recovery():\n            self.allocate_on(node)",
            "True:\n            self.allocate_on(node)",
        ),
    ),
    *_in(
        "rm/scheduler/application.py",
        ("the ids of recovered containers are given again", "        if epoch:\n", "        if not epoch:\n"),
        (
            "recovered containers are not on the queues' books",
            "        charge(self.path, container.node.partition, container.resource)\n",
            "        charge(self.path[:1], container.node.partition, container.resource)\n",
        ),
    ),
    *_in(
        "rm/scheduler/containers/recovery.py",
        (
            "recovered containers are not on the node's books",
            "            node.allocate(container)\n            node.container_launched(container_id)\n",
            "            node.container_launched(container_id)\n",
        ),
        (
            "containers of an application that nobody knows are left alone",
            (
                "            if application is None or attempt is None:\n"
                "                self._end_orphan(node, report)\n"
            ),
            "            if application is None or attempt is None:\n",
        ),
    ),
    *_in(
        "rm/scheduler/containers/completion.py",
        (
            "a container ends twice",
            (
                "        if container.is_finished and not _is_held(container, attempt):\n            return\n"
                "        if container.state is RMContainerState.RESERVED:"
            ),
            "        if container.state is RMContainerState.RESERVED:",
        ),
        (
            "requests of containers that were never delivered are not given back",
            "            if lowered:\n",
            "            if lowered and container.is_am:\n",
        ),
    ),
    # AMs and clients
    *_in(
        "rm/attempt/finished.py",
        (
            "ends that an AM was sent count as heard at once",
            "            self._sent.setdefault(node_id, []).extend(statuses)\n            told +=",
            "            told +=",
        ),
        (
            "a node's ends are told twice",
            "        self._just_finished.clear()\n        return told",
            "        return told",
        ),
    ),
    *_in(
        "rm/services/master.py",
        (
            "a repeated allocate call is a new one",
            (
                "        if next_response_id(asked) == session.response_id and session.answer is not None:\n"
                "            return session.answer\n"
            ),
            (
                "        if next_response_id(asked) == session.response_id and session.answer is not None:\n"
                "            asked = session.response_id\n"
            ),
        ),
        (
            "an allocate call is no sign of life",
            (
                "        context.monitors.am.ping(attempt_id, context.now_ms)\n"
                "        session = context.am_sessions.get(attempt_id)\n"
            ),
            "        session = context.am_sessions.get(attempt_id)\n",
        ),
        (
            "the final status that an AM tells is lost",
            "final_status=request.final_application_status or FinalApplicationStatus.UNDEFINED",
            "final_status=FinalApplicationStatus.UNDEFINED",
        ),
    ),
    *_in(
        "rm/services/client.py",
        (
            "a kill is acknowledged and not done",
            (
                "        self._context.post(AppKill(application_id=app.application_id, diagnostics=why))\n"
                "        return KillApplicationResponse(is_kill_completed=app.is_unmanaged)"
            ),
            "        return KillApplicationResponse(is_kill_completed=True)",
        ),
    ),
    *_in(
        "am/asks.py",
        (
            "asks are not said again after a restart",
            "            changes.asks.update((key, known.ask) for key, known in there.items())\n",
            "            there.items()\n",
        ),
        (
            "what a refused call said is forgotten",
            "        self._changes.put_back(unsent)\n",
            "        unsent.asks.clear()\n        self._changes.put_back(unsent)\n",
        ),
        (
            "releases are not said again after a restart",
            "        changes.releases.update(self._pending_releases)\n",
            "",
        ),
        (
            "the response id does not begin anew after a restart",
            "        changes.scheduling[:] = self._outstanding_scheduling\n        self.response_id = 0\n",
            "        changes.scheduling[:] = self._outstanding_scheduling\n",
        ),
    ),
    # NodeManagers
    *_in(
        "nm/recovery.py",
        (
            "a NodeManager that comes back does not know what ran",
            '    elif "launched" in found:\n',
            '    elif "started" in found:\n',
        ),
        (
            "a container that ended while its NodeManager was away runs on in its books",
            "        container.recovered = Recovered.COMPLETED\n",
            "        container.recovered = Recovered.LAUNCHED\n",
        ),
        (
            "a NodeManager that comes back has lost its keys",
            "    _recover_keys(context, entries)\n",
            "",
        ),
    ),
    *_in(
        "nm/reporting/status.py",
        (
            "what a lost heartbeat told is not told again",
            "        self._has_missed = True\n",
            "        self._has_missed = False\n",
        ),
        (
            "a node that registers again says that nothing runs",
            "            container_statuses=statuses,\n",
            "            container_statuses=statuses[:0],\n",
        ),
        (
            "a node that registers again names no application",
            "                if application.state is not STOPPED[-1]\n",
            "                if application.state is STOPPED[-1]\n",
        ),
    ),
    # Standstills, disks, queues of NodeManagers
    *_in(
        "rm/edge/driver.py",
        (
            "what follows from a turn that could not be stored is done",
            "self._broken(error)\n            raise StoreFailedError from error\n        except Exception",
            "self._broken(error)\n        except Exception",
        ),
        (
            "a turn that could not be stored is answered",
            "        finally:\n            self._check_store()  # nobody hears",
            "        finally:\n            self._rm  # nobody hears",
        ),
        (
            "nobody has more time after a pause",
            "        self.tell(lambda: self._rm.after_pause(gap_ms))\n",
            "",
        ),
        (
            "a pause is seen after the timers",
            "        self.pause_monitor.look()\n        super()._advance()",
            "        super()._advance()\n        self.pause_monitor.look()",
        ),
    ),
    *_in(
        "nm/containers/scheduler.py",
        (
            "what outlived a NodeManager waits for room beside itself",
            "        if container.container_id in self.running:\n            # Its process",
            "        if container.container_id in self.guaranteed:\n            # Its process",
        ),
        (
            "room is given back twice",
            "        if self.running.pop(container_id, None) is None:\n            return False\n",
            "        self.running.pop(container_id, None)\n",
        ),
    ),
    *_in(
        "rm/scheduler/application.py",
        (
            "a node stays reserved for a container that does not want it any more",
            "            container.node.reserved_container = None\n        self.re_reservations",
            "            del by_node\n        self.re_reservations",
        ),
    ),
)
