"""YarnClient, AMRMClient, NMClient and their asynchronous kin, in programs of ours (java/)."""

from __future__ import annotations

import pytest

from cluster.cluster import Cluster
from tests.clients.jvm import Programs


@pytest.mark.parametrize("name", ["UnmanagedMaster", "Submission"])
def test_the_program_finds_everything_as_it_should_be(
    programs: Programs, cluster: Cluster, name: str
) -> None:
    said = programs.run(cluster.run.path, name)
    assert said.status == 0, said
    assert said.out.endswith("done\n")
