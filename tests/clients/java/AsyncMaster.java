import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.NodeReport;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.UpdatedContainer;
import org.apache.hadoop.yarn.client.api.AMRMClient.ContainerRequest;
import org.apache.hadoop.yarn.client.api.async.AMRMClientAsync;
import org.apache.hadoop.yarn.client.api.async.NMClientAsync;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * A master in a container of its own: AMRMClientAsync and NMClientAsync. Runs a command so many times. An ask that
 * crosses an allocation is served twice in YARN: what is more than was wanted goes back.
 */
public final class AsyncMaster {
  private static final int HEARTBEAT_MS = 100;
  private static final long PATIENCE_S = 240;

  private final YarnConfiguration conf = new YarnConfiguration();
  private final String command;
  private final int times;
  private final CountDownLatch left;
  private final Map<ContainerId, NodeId> places = new ConcurrentHashMap<>();
  private final AtomicReference<String> fault = new AtomicReference<>();
  private final NMClientAsync nodes = NMClientAsync.createNMClientAsync(new OfNodes());
  private final AMRMClientAsync<ContainerRequest> rm =
      AMRMClientAsync.createAMRMClientAsync(HEARTBEAT_MS, new OfResourceManager());

  private AsyncMaster(int times, String command) {
    this.command = command;
    this.times = times;
    this.left = new CountDownLatch(times);
  }

  public static void main(String[] arguments) throws Exception {
    new AsyncMaster(Integer.parseInt(arguments[0]), arguments[1]).run();
  }

  private void run() throws Exception {
    rm.init(conf);
    rm.start();
    nodes.init(conf);
    nodes.start();
    rm.registerApplicationMaster("localhost", 0, "");
    for (int each = 0; each < times; each++) {
      rm.addContainerRequest(wish());
    }
    boolean isDone = left.await(PATIENCE_S, TimeUnit.SECONDS);
    String said = !isDone ? left.getCount() + " of them are not done" : fault.get();
    FinalApplicationStatus status = said == null ? FinalApplicationStatus.SUCCEEDED : FinalApplicationStatus.FAILED;
    rm.unregisterApplicationMaster(status, said == null ? "ran " + times + " times" : said, "");
    nodes.stop();
    rm.stop();
  }

  private static ContainerRequest wish() {
    return new ContainerRequest(Resource.newInstance(256, 1), null, null, Priority.newInstance(1));
  }

  private final class OfResourceManager extends AMRMClientAsync.AbstractCallbackHandler {
    @Override
    public void onContainersAllocated(List<Container> containers) {
      for (Container container : containers) {
        if (places.size() == times) {
          rm.releaseAssignedContainer(container.getId());
          continue;
        }
        rm.removeContainerRequest(wish());
        places.put(container.getId(), container.getNodeId());
        nodes.startContainerAsync(container, ContainerLaunchContext.newInstance(
            null, null, Collections.singletonList(command), null, null, null));
      }
    }

    @Override
    public void onContainersCompleted(List<ContainerStatus> statuses) {
      for (ContainerStatus status : statuses) {
        if (!places.containsKey(status.getContainerId())) {
          continue;
        }
        if (status.getExitStatus() != 0) {
          fault.compareAndSet(null, status.getContainerId() + " ended with " + status.getExitStatus());
        }
        left.countDown();
      }
    }

    @Override
    public void onContainersUpdated(List<UpdatedContainer> containers) {
      fault.compareAndSet(null, "nobody asked for an update");
    }

    @Override
    public void onShutdownRequest() {
      fault.compareAndSet(null, "told to shut down");
    }

    @Override
    public void onNodesUpdated(List<NodeReport> reports) {
      // Nodes may come and go.
    }

    @Override
    public float getProgress() {
      return 0.5f;
    }

    @Override
    public void onError(Throwable error) {
      fault.compareAndSet(null, "RM: " + error);
    }
  }

  private final class OfNodes extends NMClientAsync.AbstractCallbackHandler {
    @Override
    public void onContainerStarted(ContainerId container, Map<String, ByteBuffer> services) {
      nodes.getContainerStatusAsync(container, places.get(container));
    }

    @Override
    public void onStartContainerError(ContainerId container, Throwable error) {
      fault.compareAndSet(null, "start of " + container + ": " + error);
    }

    @Override
    public void onContainerStatusReceived(ContainerId container, ContainerStatus status) {
      // Asked for to have it asked.
    }

    @Override
    public void onGetContainerStatusError(ContainerId container, Throwable error) {
      // It may be over already.
    }

    @Override
    public void onContainerStopped(ContainerId container) {
      // Nobody stops one.
    }

    @Override
    public void onStopContainerError(ContainerId container, Throwable error) {
      fault.compareAndSet(null, "stop of " + container + ": " + error);
    }

    @Override
    public void onContainerResourceIncreased(ContainerId container, Resource resource) {
      // Nobody asks for it.
    }

    @Override
    public void onContainerResourceUpdated(ContainerId container, Resource resource) {
      // Nobody asks for it.
    }

    @Override
    public void onIncreaseContainerResourceError(ContainerId container, Throwable error) {
      fault.compareAndSet(null, "update of " + container + ": " + error);
    }

    @Override
    public void onUpdateContainerResourceError(ContainerId container, Throwable error) {
      fault.compareAndSet(null, "update of " + container + ": " + error);
    }
  }
}
