package yarnbox.twin;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.yarn.event.Dispatcher;
import org.apache.hadoop.yarn.event.Event;
import org.apache.hadoop.yarn.event.EventDispatcher;
import org.apache.hadoop.yarn.event.EventHandler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.SchedulerEventType;

/**
 * Three queues and no thread: one of the orders in which Hadoop's dispatchers, the ResourceManager's, the scheduler's
 * and the state store's, may deliver, and always the same one. Events for the scheduler wait until the first queue is
 * empty, what is to be stored until all others are. The placement processor works when the first two are: what a
 * container gives back that gets smaller with the same call is free by then.
 */
@SuppressWarnings({"rawtypes", "unchecked"})
public final class TurnDispatcher implements Dispatcher, EventHandler<Event> {
  private final Map<Class<? extends Enum>, List<EventHandler>> handlers = new HashMap<>();
  private final ArrayDeque<Event> queue = new ArrayDeque<>();
  private final ArrayDeque<Event> schedulerQueue = new ArrayDeque<>();
  private final ArrayDeque<Event> afterwards = new ArrayDeque<>();
  private final ArrayDeque<Runnable> storeQueue = new ArrayDeque<>();
  private final Thread owner = Thread.currentThread();
  private final List<String> crashes = new ArrayList<>();
  private Runnable beforeResize = () -> {};
  private Runnable afterResize = () -> {};

  @Override
  public EventHandler<Event> getEventHandler() {
    return this;
  }

  @Override
  public void register(Class<? extends Enum> type, EventHandler handler) {
    handlers.computeIfAbsent(type, any -> new ArrayList<>()).add(withoutThread(handler));
  }

  /** What a thread of its own would hand on is handled with all the rest. */
  private static EventHandler withoutThread(EventHandler handler) {
    if (!(handler instanceof EventDispatcher)) {
      return handler;
    }
    try {
      return (EventHandler) Cluster.field(EventDispatcher.class, "handler").get(handler);
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
  }

  @Override
  public void handle(Event event) {
    if (Thread.currentThread() != owner) {
      throw new IllegalStateException("not the twin's thread: " + event);
    }
    queue.add(event);
  }

  /** What is to be done before the scheduler hears of another size of a node. */
  void beforeResize(Runnable action) {
    beforeResize = action;
  }

  /** What is to be done when the scheduler has heard of it. */
  void afterResize(Runnable action) {
    afterResize = action;
  }

  /** A handler's events wait until all others are delivered. */
  public EventHandler<Event> storing(EventHandler handler) {
    return event -> storeQueue.add(() -> handler.handle(event));
  }

  /** Delivers to the last. */
  void drain() {
    drainQueues();
    while (!storeQueue.isEmpty()) {
      storeQueue.poll().run();
      drainQueues();
    }
  }

  private void drainQueues() {
    while (!queue.isEmpty() || !schedulerQueue.isEmpty() || !afterwards.isEmpty()) {
      while (!queue.isEmpty()) {
        Event event = queue.poll();
        if (event.getType() instanceof SchedulerEventType) {
          schedulerQueue.add(event);
        } else if (event instanceof PlacementPools.Due) {
          afterwards.add(event);
        } else {
          deliver(event);
        }
      }
      while (!schedulerQueue.isEmpty()) {
        deliver(schedulerQueue.poll());
      }
      if (queue.isEmpty() && !afterwards.isEmpty()) {
        deliver(afterwards.poll());
      }
    }
  }

  private void deliver(Event event) {
    if (event.getType() == SchedulerEventType.NODE_RESOURCE_UPDATE) {
      beforeResize.run();
    }
    for (EventHandler handler : handlers.getOrDefault(event.getType().getClass(), List.of())) {
      try {
        handler.handle(event);
      } catch (RuntimeException | Error error) {
        StringWriter text = new StringWriter();
        error.printStackTrace(new PrintWriter(text));
        crashes.add(event + ": " + text);
      }
    }
    if (event.getType() == SchedulerEventType.NODE_RESOURCE_UPDATE) {
      afterResize.run();
    }
  }

  /** What handlers threw since this was asked last; it would have ended Hadoop's process. */
  List<String> takeCrashes() {
    List<String> taken = new ArrayList<>(crashes);
    crashes.clear();
    return taken;
  }
}
