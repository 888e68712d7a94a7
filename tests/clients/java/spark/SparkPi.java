import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/** Pi by darts: {@code SparkPi TASKS DARTS}, so many tasks that throw so many each. */
public final class SparkPi {
  private SparkPi() {
  }

  public static void main(String[] arguments) {
    int tasks = Integer.parseInt(arguments[0]);
    int darts = Integer.parseInt(arguments[1]);
    List<Integer> seeds = new ArrayList<>();
    for (int seed = 0; seed < tasks; seed++) {
      seeds.add(seed);
    }
    try (JavaSparkContext spark = new JavaSparkContext(new SparkConf().setAppName("SparkPi"))) {
      long hits = spark.parallelize(seeds, tasks).map(seed -> hits(seed, darts)).reduce(Long::sum);
      System.out.println("Pi is roughly " + 4.0 * hits / ((double) tasks * darts));
    }
  }

  private static long hits(int seed, int darts) {
    Random random = new Random(seed);
    long hits = 0;
    for (int dart = 0; dart < darts; dart++) {
      double x = random.nextDouble();
      double y = random.nextDouble();
      hits += x * x + y * y < 1 ? 1 : 0;
    }
    return hits;
  }
}
