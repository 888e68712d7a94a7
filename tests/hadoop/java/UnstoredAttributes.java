package org.apache.hadoop.yarn.server.resourcemanager.nodelabels;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.server.resourcemanager.DoorlessResourceManager;

/** Node attributes in memory, in Hadoop's package for the sake of its manager's dispatcher. */
public final class UnstoredAttributes {
  private UnstoredAttributes() {}

  /** Hadoop's manager; what changes takes effect at once. */
  public static NodeAttributesManagerImpl create() {
    return new NodeAttributesManagerImpl() {
      @Override
      protected void initDispatcher(Configuration conf) {
        dispatcher = new DoorlessResourceManager.Inline();
      }

      @Override
      protected void startDispatcher() {}

      @Override
      protected void stopDispatcher() {}
    };
  }
}
