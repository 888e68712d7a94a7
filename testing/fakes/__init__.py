"""ResourceManager, NodeManager and ApplicationMaster in the hands of a test, over real gRPC.

fake_rm         grants, preempts, resyncs and refuses as the test says
fake_nm         a NodeManager that does only what the test says
fake_am         an ApplicationMaster that does only what the test says
tracked_nodes   nodes that have registered with a fake ResourceManager
"""
