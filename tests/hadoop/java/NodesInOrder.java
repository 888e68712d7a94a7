package yarnbox.twin;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/**
 * Nodes in the order in which they registered. Hadoop takes a node out and puts it back when it gets another size; in
 * the order of hashes that changes nothing, nor does it here.
 */
final class NodesInOrder<K, V> extends LinkedHashMap<K, V> {
  private static final long serialVersionUID = 1L;
  private transient List<K> before;

  @Override
  public V remove(Object key) {
    before = new ArrayList<>(keySet());
    return super.remove(key);
  }

  /** What was taken out before does not come back to its place. */
  void beforeResize() {
    before = null;
  }

  /** A node that was taken out, and put back since, has its place again. */
  void resized() {
    for (K key : before == null ? List.<K>of() : before) {
      V value = super.remove(key);
      if (value != null) {
        super.put(key, value);
      }
    }
    before = null;
  }
}
