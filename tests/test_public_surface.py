"""What users may rely on: the names that the packages for users export, no more and no fewer."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

EXPORTS = {
    "yarnbox.am": """
        AMRMClient ApplicationAttemptId ApplicationId ApplicationReport ApplicationSubmissionContext
        BlockingAMRMClient BlockingNMClient ClientService Connection Container ContainerEnvironment
        ContainerId ContainerLaunchContext ContainerRequest ContainerStatus Conversation
        FinalApplicationStatus InvalidContainerRequestError NMClient NMTokenCache NodeId
        NotInContainerError PlacementSpec RequestTable Resource SubmissionError Submitter
        YarnApplicationState command_line configuration_of exact_environment follow handed_on has_succeeded
        launch_unmanaged
        parse_constraint parse_specs python_command python_context python_path redirections
    """,
    "yarnbox.client": """
        AdminClient ApplicationAttemptId ApplicationId ApplicationReport
        ApplicationSubmissionContext ClusterConnection ConnectionFailedError ContainerId NewApplication NodeId
        NodeState Resource YarnApplicationState YarnClient YarnError connect
    """,
    "yarnbox.testing": """
        Application Ends FakeApplicationMaster FakeNodeManager FakeResourceManager SeenContainer Started
        VirtualCluster YarnCluster delay drop_next expire_token fail_over fill_disk lose_node lose_node_of
        preempt restart_rm runs
    """,
}


@pytest.mark.parametrize("package", EXPORTS)
def test_a_package_exports_what_is_promised(package: str) -> None:
    module = importlib.import_module(package)
    assert list(module.__all__) == EXPORTS[package].split()
    assert all(getattr(module, name) is not None for name in module.__all__)


@pytest.mark.parametrize("package", EXPORTS)
def test_a_name_that_is_not_exported_is_an_attribute_error(package: str) -> None:
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nonsense'"):
        _ = importlib.import_module(package).nonsense


@pytest.mark.parametrize("package", EXPORTS)
def test_importing_a_package_loads_nothing_that_it_exports(package: str) -> None:
    program = f"import sys, {package}; print('grpc' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
