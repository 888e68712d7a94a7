import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;

/** Counts words: {@code WordCount INPUT OUTPUT}. */
public final class WordCount {
  private WordCount() {
  }

  public static void main(String[] arguments) throws Exception {
    StreamExecutionEnvironment flink = StreamExecutionEnvironment.getExecutionEnvironment();
    flink.setRuntimeMode(RuntimeExecutionMode.BATCH);
    flink.readTextFile("file://" + arguments[0])
        .flatMap((String line, Collector<Tuple2<String, Integer>> words) -> {
          for (String word : line.trim().split("\\s+")) {
            if (!word.isEmpty()) {
              words.collect(Tuple2.of(word, 1));
            }
          }
        })
        .returns(Types.TUPLE(Types.STRING, Types.INT))
        .keyBy(word -> word.f0)
        .sum(1)
        .map(count -> count.f0 + "\t" + count.f1)
        .writeAsText("file://" + arguments[1], FileSystem.WriteMode.OVERWRITE)
        .setParallelism(1);
    flink.execute("word count");
  }
}
