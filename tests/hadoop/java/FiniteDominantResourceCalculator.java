package yarnbox.twin;

import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceInformation;
import org.apache.hadoop.yarn.util.resource.DominantResourceCalculator;
import org.apache.hadoop.yarn.util.resource.ResourceUtils;

/**
 * Hadoop's divides by zero where a type is in use of which the nodes have nothing any more; user limits are multiplied
 * by what comes of it, and overflow. Here such a type does not count.
 */
public final class FiniteDominantResourceCalculator extends DominantResourceCalculator {
  @Override
  public float ratio(Resource one, Resource other) {
    float ratio = 0;
    for (int index = 0; index < ResourceUtils.getNumberOfCountableResourceTypes(); index++) {
      ResourceInformation whole = other.getResourceInformation(index);
      if (whole.getValue() != 0) {
        ratio = Math.max(ratio, (float) one.getResourceInformation(index).getValue() / (float) whole.getValue());
      }
    }
    return ratio;
  }
}
