package yarnbox.twin;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.nodelabels.store.StoreOp;
import org.apache.hadoop.yarn.server.resourcemanager.recovery.MemoryRMStateStore;
import org.apache.hadoop.yarn.server.resourcemanager.recovery.RMStateStore.RMState;

/** What is left when a ResourceManager ends: its state store, and what changed its labels and its attributes. */
public final class Memory {
  private static Memory present = new Memory();

  /** What the state store keeps. */
  public final RMState state = new MemoryRMStateStore().getState();

  /** The epoch of the next ResourceManager. */
  public long epoch;

  /** Changes of labels. */
  public final Journal labels = new Journal();

  /** Changes of attributes. */
  public final Journal attributes = new Journal();

  private Memory() {}

  /** That of the present cluster. */
  public static Memory present() {
    return present;
  }

  static void forget() {
    present = new Memory();
  }

  /** Operations of one of Hadoop's stores of labels or attributes, in the form in which it would write them to a file. */
  @SuppressWarnings({"rawtypes", "unchecked"})
  public static final class Journal {
    private final List<StoreOp> operations = new ArrayList<>();
    private final List<byte[]> written = new ArrayList<>();

    /** One more. */
    public void add(StoreOp operation, Object manager) throws IOException {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      operation.write(out, manager);
      operations.add(operation);
      written.add(out.toByteArray());
    }

    /** All of them once more, for a manager that knows none. */
    public void repeat(Object manager) throws IOException, YarnException {
      for (int i = 0; i < operations.size(); i++) {
        operations.get(i).recover(new ByteArrayInputStream(written.get(i)), manager);
      }
    }
  }
}
