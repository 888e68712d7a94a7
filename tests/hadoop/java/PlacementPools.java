package yarnbox.twin;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.yarn.event.AbstractEvent;
import org.apache.hadoop.yarn.event.EventHandler;

/**
 * The two pools of threads of the placement processor, without threads: what a call hands them is done by an event of
 * that call, the containers that are to be committed first and then the requests that are to be placed.
 */
final class PlacementPools implements EventHandler<PlacementPools.Due> {
  private final TurnDispatcher dispatcher;
  private final Pool commits = new Pool();
  private final Pool placements = new Pool();

  private PlacementPools(TurnDispatcher dispatcher) {
    this.dispatcher = dispatcher;
    dispatcher.register(Kind.class, this);
  }

  /** Takes the place of the processor's pools; its dispatcher places, and it commits itself. */
  static void install(Object processor, TurnDispatcher dispatcher) throws Exception {
    PlacementPools pools = new PlacementPools(dispatcher);
    replace(processor, "schedulingThreadPool", pools.commits);
    Object places = Cluster.field(processor.getClass(), "placementDispatcher").get(processor);
    replace(places, "algorithmThreadPool", pools.placements);
  }

  private static void replace(Object owner, String name, ExecutorService pool) throws Exception {
    ((ExecutorService) Cluster.field(owner.getClass(), name).get(owner)).shutdownNow();
    Cluster.field(owner.getClass(), name).set(owner, pool);
  }

  @Override
  public void handle(Due event) {
    commits.runAll();
    placements.runAll();
  }

  private enum Kind {
    DUE
  }

  /** Something waits. */
  static final class Due extends AbstractEvent<Kind> {
    Due() {
      super(Kind.DUE);
    }
  }

  private final class Pool extends AbstractExecutorService {
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();

    @Override
    public void execute(Runnable task) {
      if (commits.waiting.isEmpty() && placements.waiting.isEmpty()) {
        dispatcher.handle(new Due());
      }
      waiting.add(task);
    }

    private void runAll() {
      while (!waiting.isEmpty()) {
        waiting.poll().run();
      }
    }

    @Override
    public void shutdown() {}

    @Override
    public List<Runnable> shutdownNow() {
      return List.of();
    }

    @Override
    public boolean isShutdown() {
      return false;
    }

    @Override
    public boolean isTerminated() {
      return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
      return true;
    }
  }
}
