"""ContainerManagementProtocol: what AMs, and the RM for an AM's own container, may ask of a node.

One method per rpc, records in and out. A call proves itself by its NM token; each container to be started or
updated by a container token. A bad request among many fails alone. Hadoop: ContainerManagerImpl.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from yarnbox.nm.application import Application
from yarnbox.nm.containers.container_state import Container, ContainerState
from yarnbox.nm.context import NMContext
from yarnbox.nm.events import (
    ApplicationInit,
    ApplicationInitContainer,
    ContainerKill,
    ContainerReinitialize,
    ContainerRollbackReinit,
    ContainerUpdateToken,
    LocalizationRequestContainer,
)
from yarnbox.nm.localization.resources import check_resources
from yarnbox.nm.reporting.status import NodeStatusUpdater
from yarnbox.nm.state import store_application, store_container, store_container_state, store_start
from yarnbox.yarn.enums import ExecutionType
from yarnbox.yarn.errors import (
    IllegalArgumentError,
    InvalidContainerError,
    InvalidTokenError,
    NotReadyError,
    YarnError,
)
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId
from yarnbox.yarn.records.basics import SerializedException
from yarnbox.yarn.records.container import Container as ContainerRecord
from yarnbox.yarn.records.container import ContainerLaunchContext, ContainerStatus
from yarnbox.yarn.records.management import (
    CommitResponse,
    ContainerExceptionMap,
    ContainerLocalizationStatuses,
    ContainerUpdateRequest,
    ContainerUpdateResponse,
    GetContainerStatusesRequest,
    GetContainerStatusesResponse,
    GetLocalizationStatusesRequest,
    GetLocalizationStatusesResponse,
    IncreaseContainersResourceRequest,
    IncreaseContainersResourceResponse,
    ReInitializeContainerRequest,
    ReInitializeContainerResponse,
    ResourceLocalizationRequest,
    ResourceLocalizationResponse,
    RestartContainerResponse,
    RollbackResponse,
    SignalContainerRequest,
    SignalContainerResponse,
    StartContainerRequest,
    StartContainersRequest,
    StartContainersResponse,
    StopContainersRequest,
    StopContainersResponse,
)
from yarnbox.yarn.records.tokens import ContainerTokenIdentifier, NMTokenIdentifier, Token
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.security.credentials import Credentials

A = TypeVar("A")
B = TypeVar("B")

KILLED_BY_APPMASTER = -105
MAXIMUM_CONTAINERS_PER_CALL = 10_000
MAXIMUM_TOKENS_CONF = 12_800


class ContainerManagementService:
    """The calls, each with the token of its caller."""

    def __init__(self, context: NMContext) -> None:
        self._context = context
        self.status: NodeStatusUpdater | None = None
        self.is_stopping = False

    # Starting

    def start_containers(
        self, request: StartContainersRequest, token: Token | None
    ) -> StartContainersResponse:
        """Starts containers, each with a token of its own."""
        caller = self._authenticate(token)
        requests = request.start_container_request
        _check_count(len(requests))
        # A forged token fails the whole call, before anything is started.
        identifiers = [self._context.container_tokens.verify(one.container_token) for one in requests]

        def start(pair: tuple[ContainerTokenIdentifier, StartContainerRequest]) -> ContainerId:
            self._authorize(caller, pair[0], is_start=True)
            self._context.nm_tokens.container_started(caller)
            assert caller.app_attempt_id is not None
            self._start(*pair, caller.app_attempt_id)
            return _id_of(pair[0])

        started, failed = _each(
            list(zip(identifiers, requests, strict=True)), start, lambda pair: pair[0].container_id
        )
        return StartContainersResponse(
            services_meta_data=self._context.auxiliary_services,
            succeeded_requests=started,
            failed_requests=failed,
        )

    def _start(
        self,
        identifier: ContainerTokenIdentifier,
        request: StartContainerRequest,
        attempt_id: ApplicationAttemptId,
    ) -> None:
        context, container_id = self._context, _id_of(identifier)
        if identifier.resource is None or identifier.resource.is_negative():
            raise YarnError(f"Container {container_id} cannot have the size {identifier.resource}")
        launch_context = request.container_launch_context or ContainerLaunchContext()
        self._check_launch_context(launch_context)
        if container_id in context.containers:
            raise YarnError(f"Container {container_id} already is running on this node!!")
        if self.is_stopping:
            raise NotReadyError(
                "Container start failed as the NodeManager is in the process of shutting down"
            )
        application_id = container_id.application_id
        application = context.applications.get(application_id)
        if application is None:
            application = Application(context, application_id, identifier.app_submitter or "")
            application.log_aggregation_context = identifier.log_aggregation_context
            context.applications[application_id] = application
            acls = {
                one.access_type: one.acl
                for one in launch_context.application_acls
                if one.access_type is not None
            }
            context.post(
                ApplicationInit(
                    application_id=application_id,
                    application_acls=acls,
                    log_aggregation_context=identifier.log_aggregation_context,
                )
            )
        container = context.containers[container_id] = Container(context, identifier, launch_context)
        store_application(context, application, request)
        store_container(context, container, request)
        context.post(ApplicationInitContainer(application_id=application_id, container_id=container_id))
        context.container_tokens.container_started(identifier, context.now_ms)
        store_start(context, attempt_id, identifier)

    def _check_launch_context(self, launch_context: ContainerLaunchContext) -> None:
        for service in launch_context.service_data:
            if service not in self._context.auxiliary_services:
                raise YarnError(f"The auxService:{service} does not exist")
        check_resources(launch_context.local_resources)
        try:
            Credentials.from_bytes(launch_context.tokens)
        except IllegalArgumentError as error:
            raise IllegalArgumentError(f"the tokens of the launch context: {error.message}") from error
        if len(launch_context.tokens_conf or b"") > MAXIMUM_TOKENS_CONF:
            raise IllegalArgumentError(f"tokens_conf has more than {MAXIMUM_TOKENS_CONF} bytes")

    # Updating

    def update_container(
        self, request: ContainerUpdateRequest, token: Token | None
    ) -> ContainerUpdateResponse:
        """Applies newer versions of container tokens."""
        caller = self._authenticate(token)

        def update(one: Token) -> ContainerId:
            identifier = self._context.container_tokens.verify(one)
            self._authorize(caller, identifier, is_start=False)
            self._context.nm_tokens.container_started(caller)
            self.apply_update(identifier)
            return _id_of(identifier)

        updated, failed = _each(request.update_container_token, update, self._claimed_id)
        return ContainerUpdateResponse(succeeded_requests=updated, failed_requests=failed)

    def _claimed_id(self, token: Token | None) -> ContainerId | None:
        """The container that a token speaks of, genuine or not: to name the request that failed."""
        try:
            return self._context.container_tokens.identifier(token).container_id
        except InvalidTokenError:
            return None

    def increase_containers_resource(
        self, request: IncreaseContainersResourceRequest, token: Token | None
    ) -> IncreaseContainersResourceResponse:
        """The older name of update_container."""
        answer = self.update_container(
            ContainerUpdateRequest(update_container_token=request.increase_containers), token
        )
        return IncreaseContainersResourceResponse(
            succeeded_requests=answer.succeeded_requests, failed_requests=answer.failed_requests
        )

    def update_by_rm(self, container: ContainerRecord) -> None:
        """An update that came with a heartbeat's answer, which needs no proof."""
        self.apply_update(self._context.container_tokens.identifier(container.container_token))

    def apply_update(self, identifier: ContainerTokenIdentifier) -> None:
        """Brings a container to the version of a checked token."""
        container_id = _id_of(identifier)
        container = self._find(container_id)
        if identifier.version <= container.token.version:
            raise YarnError(
                f"Container {container_id} has update version [{container.token.version}] >= requested "
                f"version [{identifier.version}]"
            )
        current = container.resource
        target = current if identifier.resource is None else identifier.resource
        if target.is_negative() or not target:
            raise YarnError(f"Container {container_id} cannot get the size {target}")
        is_resource_change = current != target
        is_type_update = not is_resource_change and container.execution_type is not identifier.execution_type
        is_increase = (
            _is_larger(target, current)
            if is_resource_change
            else is_type_update and container.execution_type is ExecutionType.OPPORTUNISTIC
        )
        if is_resource_change and is_increase:
            if container_id in self._context.increased:
                raise YarnError(
                    f"Container {container_id} resource is being increased -or- is undergoing ExecutionType "
                    "promoted."
                )
            self._context.increased[container_id] = ContainerRecord(
                id=container_id, resource=target, execution_type=container.execution_type
            )
        self._context.post(
            ContainerUpdateToken(
                container_id=container_id,
                token=identifier,
                is_resource_change=is_resource_change,
                is_execution_type_update=is_type_update,
                is_increase=is_increase,
            )
        )

    # Stopping and asking

    def stop_containers(self, request: StopContainersRequest, token: Token | None) -> StopContainersResponse:
        """Stops containers of the caller's application."""
        caller = self._authenticate(token)

        def stop(container_id: ContainerId) -> ContainerId:
            container = self._owned(caller, container_id, "stop")
            if container is None and not self._was_recently_stopped(container_id):
                raise YarnError(f"Container {container_id} is not handled by this NodeManager")
            if container is not None:
                store_container_state(self._context, container_id, "killed")
                self._context.post(
                    ContainerKill(
                        container_id=container_id,
                        exit_status=KILLED_BY_APPMASTER,
                        diagnostics="Container killed by the ApplicationMaster.",
                    )
                )
            return container_id

        stopped, failed = _each(request.container_id, stop, _itself)
        return StopContainersResponse(succeeded_requests=stopped, failed_requests=failed)

    def get_container_statuses(
        self, request: GetContainerStatusesRequest, token: Token | None
    ) -> GetContainerStatusesResponse:
        """Tells how containers of the caller's application are."""
        caller = self._authenticate(token)

        def status(container_id: ContainerId) -> ContainerStatus:
            self._owned(caller, container_id, "get status for")
            return self._find(container_id).status()

        statuses, failed = _each(request.container_id, status, _itself)
        return GetContainerStatusesResponse(status=statuses, failed_requests=failed)

    def signal_to_container(
        self, request: SignalContainerRequest, token: Token | None
    ) -> SignalContainerResponse:
        """Sends a signal to a container of the caller's application."""
        caller = self._authenticate(token)
        if self._owned(caller, request.container_id, "signal") is not None:
            self._updater.signal(request)
        return SignalContainerResponse()

    # Localizing and re-initializing what runs

    def localize(
        self, request: ResourceLocalizationRequest, token: Token | None
    ) -> ResourceLocalizationResponse:
        """Brings more resources into a running container's working directory."""
        container = self._running(request.container_id, token, "LOCALIZE")
        check_resources(request.local_resources)
        wanted = container.resources.add(request.local_resources, container.user, container.application_id)
        if wanted:
            self._context.post(
                LocalizationRequestContainer(container_id=container.container_id, wanted=wanted)
            )
        return ResourceLocalizationResponse()

    def get_localization_statuses(
        self, request: GetLocalizationStatusesRequest, token: Token | None
    ) -> GetLocalizationStatusesResponse:
        """Tells which resources of containers are there."""
        caller = self._authenticate(token)

        def statuses(container_id: ContainerId) -> ContainerLocalizationStatuses:
            self._owned(caller, container_id, "get localization statuses for")
            found = self._find(container_id).resources.statuses()
            return ContainerLocalizationStatuses(container_id=container_id, localization_statuses=found)

        known, failed = _each(request.container_id, statuses, _itself)
        return GetLocalizationStatusesResponse(cntn_localization_statuses=known, failed_requests=failed)

    def re_initialize_container(
        self, request: ReInitializeContainerRequest, token: Token | None
    ) -> ReInitializeContainerResponse:
        """Runs another launch context in the same container; without one, restarts it."""
        if request.container_launch_context is not None:
            check_resources(request.container_launch_context.local_resources)
        container = self._running(request.container_id, token, "RE_INIT")
        self._reinitialize(container, request.container_launch_context, auto_commit=request.auto_commit)
        return ReInitializeContainerResponse()

    def restart_container(self, container_id: ContainerId, token: Token | None) -> RestartContainerResponse:
        """Runs the same launch context once more."""
        self._reinitialize(self._running(container_id, token, "RE_INIT"), None, auto_commit=True)
        return RestartContainerResponse()

    def rollback_last_re_initialization(
        self, container_id: ContainerId, token: Token | None
    ) -> RollbackResponse:
        """Goes back to the launch context before the last one that was not committed."""
        container = self._running(container_id, token, "ROLLBACK")
        if not container.can_rollback:
            raise YarnError("Nothing to rollback to !!")
        container.is_reinitializing = True
        self._context.post(ContainerRollbackReinit(container_id=container.container_id))
        return RollbackResponse()

    def commit_last_re_initialization(self, container_id: ContainerId, token: Token | None) -> CommitResponse:
        """Gives the way back up."""
        container = self._running(container_id, token, "COMMIT")
        if not container.can_rollback:
            raise YarnError("Nothing to Commit !!")
        container.reinitialization = None
        return CommitResponse()

    def _reinitialize(
        self, container: Container, launch_context: ContainerLaunchContext | None, *, auto_commit: bool
    ) -> None:
        container.is_reinitializing = True
        self._context.post(
            ContainerReinitialize(
                container_id=container.container_id, launch_context=launch_context, auto_commit=auto_commit
            )
        )

    # Who may do what

    @property
    def _updater(self) -> NodeStatusUpdater:
        assert self.status is not None
        return self.status

    def _authenticate(self, token: Token | None) -> NMTokenIdentifier:
        if token is None:
            raise InvalidTokenError("Invalid NMToken")
        return self._context.nm_tokens.verify(token)

    def _authorize(
        self, caller: NMTokenIdentifier, identifier: ContainerTokenIdentifier, *, is_start: bool
    ) -> None:
        context, container_id = self._context, _id_of(identifier)
        what = "start container." if is_start else "increase container resource."
        refused = f"Unauthorized request to {what}"
        if _application_of(caller) != container_id.application_id:
            use = "starting " if is_start else "increasing resource of "
            raise YarnError(
                f"{refused}\nNMToken for application attempt : {caller.app_attempt_id} was used for {use}"
                "container with container token issued for application attempt : "
                f"{container_id.application_attempt_id}"
            )
        if is_start and context.container_tokens.was_used(identifier, context.now_ms):
            raise YarnError(f"{refused}\n Attempt to relaunch the same container with id {container_id}.")
        if (identifier.expiry_time_stamp or 0) < context.now_ms:
            raise YarnError(
                f"{refused}\nThis token is expired. current time is {context.now_ms} found "
                f"{identifier.expiry_time_stamp}\nNote: System times on machines may be out of sync. "
                "Check system time and time zones."
            )
        if identifier.rm_identifier != context.rm_identifier:
            raise InvalidContainerError(
                f"\nContainer {container_id} rejected as it is allocated by a previous RM"
            )

    def _owned(self, caller: NMTokenIdentifier, container_id: ContainerId, what: str) -> Container | None:
        if _application_of(caller) != container_id.application_id:
            raise YarnError(
                f"{caller.app_attempt_id} attempted to {what} non-application container : {container_id}"
            )
        return self._context.containers.get(container_id)

    def _find(self, container_id: ContainerId) -> Container:
        container = self._context.containers.get(container_id)
        if container is None:
            if self._was_recently_stopped(container_id):
                raise YarnError(f"Container {container_id} was recently stopped on node manager.")
            raise YarnError(f"Container {container_id} is not handled by this NodeManager")
        return container

    def _was_recently_stopped(self, container_id: ContainerId) -> bool:
        return self._updater.was_recently_stopped(container_id)

    def _running(self, container_id: ContainerId | None, token: Token | None, what: str) -> Container:
        caller = self._authenticate(token)
        if container_id is None:
            raise IllegalArgumentError("the container id is missing")
        if _application_of(caller) != container_id.application_id:
            raise YarnError(
                f"ApplicationMaster not authorized to perform [{what}] on Container [{container_id}]!!"
            )
        container = self._context.containers.get(container_id)
        if container is None:
            raise YarnError(f"Specified {container_id} does not exist!")
        is_busy = container.state is not ContainerState.RUNNING or container.is_reinitializing
        if is_busy or container.execution_type is ExecutionType.OPPORTUNISTIC:
            raise YarnError(
                f"Cannot perform {what} on [{container_id}]. Current state is [{container.state.name}, "
                f"isReInitializing={str(container.is_reinitializing).lower()}]. Container Execution Type is "
                f"[{container.execution_type.name}]."
            )
        return container


def _application_of(caller: NMTokenIdentifier) -> ApplicationId:
    assert caller.app_attempt_id is not None
    return caller.app_attempt_id.application_id


def _id_of(identifier: ContainerTokenIdentifier) -> ContainerId:
    assert identifier.container_id is not None
    return identifier.container_id


def _is_larger(target: Resource, current: Resource) -> bool:
    return current.fits_in(target) and not target.fits_in(current)


def _check_count(count: int) -> None:
    if count > MAXIMUM_CONTAINERS_PER_CALL:
        raise IllegalArgumentError(
            f"{count} containers in one call; at most {MAXIMUM_CONTAINERS_PER_CALL} are allowed"
        )


def _each(
    items: Sequence[A], call: Callable[[A], B], id_of: Callable[[A], ContainerId | None]
) -> tuple[tuple[B, ...], tuple[ContainerExceptionMap, ...]]:
    """Does it for each; a refusal concerns that one alone."""
    _check_count(len(items))
    answers: list[B] = []
    refusals: list[ContainerExceptionMap] = []
    for item in items:
        try:
            answers.append(call(item))
        except YarnError as refusal:
            said = SerializedException(message=refusal.message, class_name=refusal.java_class)
            refusals.append(ContainerExceptionMap(container_id=id_of(item), exception=said))
    return tuple(answers), tuple(refusals)


def _itself(container_id: ContainerId) -> ContainerId:
    return container_id
