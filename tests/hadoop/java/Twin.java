package yarnbox.twin;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Hadoop's ResourceManager on a line: operations come in on the standard input, answers go out on the standard
 * output. A line is an operation's name and its arguments in base64, separated by tabs; an answer is one JSON
 * object, with `value`, or with `error` where Hadoop refused, and with `crashes` where a handler threw.
 */
public final class Twin {
  private Cluster cluster;

  private Twin() {}

  public static void main(String[] arguments) throws Exception {
    PrintStream answers = System.out;
    System.setOut(System.err);
    OneKeyPair.install();
    Twin twin = new Twin();
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      StringBuilder out = new StringBuilder();
      Json.write(out, twin.answer(line.split("\t", -1)));
      answers.println(out);
      answers.flush();
    }
    Runtime.getRuntime().halt(0);
  }

  private Map<String, Object> answer(String[] words) {
    Map<String, Object> answer = new LinkedHashMap<>();
    List<byte[]> given = new ArrayList<>();
    for (int i = 1; i < words.length; i++) {
      given.add(Base64.getDecoder().decode(words[i]));
    }
    try {
      answer.put("value", perform(words[0], new Arguments(given)));
    } catch (Exception | LinkageError error) {
      Throwable cause = Cluster.cause(error);
      answer.put("error", Map.of("class", cause.getClass().getSimpleName(), "message", "" + cause.getMessage()));
      if (cause instanceof RuntimeException || cause instanceof Error) {
        cause.printStackTrace();
      }
    }
    if (cluster != null) {
      List<String> crashes = cluster.takeCrashes();
      if (!crashes.isEmpty()) {
        answer.put("crashes", crashes);
      }
    }
    return answer;
  }

  private Object perform(String operation, Arguments given) throws Exception {
    switch (operation) {
      case "clear":
        stop();
        Surroundings.clear();
        Memory.forget();
        return null;
      case "start":
        cluster = new Cluster(given.properties(0), Long.parseLong(given.text(1)));
        return null;
      case "restart":
        cluster = cluster.restarted(Long.parseLong(given.text(0)));
        return null;
      case "file":
        Surroundings.file(given.text(0), given.text(1));
        return null;
      case "properties":
        Surroundings.file(given.text(0), Surroundings.document(given.properties(1)));
        return null;
      case "groups":
        Surroundings.groups(given.text(0), given.text(1).isEmpty() ? List.of() : List.of(given.text(1).split(",")));
        return null;
      case "rack":
        Surroundings.rack(given.text(0), given.text(1));
        return null;
      case "time":
        return cluster.moveTo(Long.parseLong(given.text(0)));
      case "call":
        return cluster.call(given.text(0), given.text(1), given.text(2), given.text(3), given.bytes(4));
      case "update-shares":
        cluster.updateShares();
        return null;
      case "check-allocations":
        cluster.checkAllocations();
        return null;
      case "follow-plans":
        cluster.followPlans();
        return null;
      case "poll-decommissioning":
        cluster.pollDecommissioning();
        return null;
      case "kill-marked":
        cluster.killMarked();
        return null;
      case "preempt":
        return cluster.preempt(given.text(0));
      case "launched":
        cluster.launched(given.text(0), given.text(1));
        return null;
      case "look":
        return cluster.look(given.textsFrom(0));
      case "outlive":
        cluster.outlive(given.text(0));
        return null;
      case "lose":
        cluster.lose(given.text(0));
        return null;
      case "heard":
        cluster.heardOf(given.text(0), Long.parseLong(given.text(1)), given.textsFrom(2));
        return null;
      case "launches":
        return cluster.takeLaunches();
      case "observe":
        return cluster.observe();
      default:
        throw new IllegalArgumentException("no operation " + operation);
    }
  }

  private void stop() {
    if (cluster != null) {
      cluster.stop();
      cluster = null;
    }
  }

  /** The arguments of an operation. */
  private static final class Arguments {
    private final List<byte[]> given;

    Arguments(List<byte[]> given) {
      this.given = given;
    }

    byte[] bytes(int index) {
      return given.get(index);
    }

    String text(int index) {
      return new String(given.get(index), StandardCharsets.UTF_8);
    }

    List<String> textsFrom(int index) {
      List<String> texts = new ArrayList<>();
      for (int i = index; i < given.size(); i++) {
        texts.add(text(i));
      }
      return texts;
    }

    /** Names and values in turn, separated by NUL. */
    Map<String, String> properties(int index) {
      Map<String, String> properties = new LinkedHashMap<>();
      String text = text(index);
      if (!text.isEmpty()) {
        String[] parts = text.split("\0", -1);
        for (int i = 0; i + 1 < parts.length; i += 2) {
          properties.put(parts[i], parts[i + 1]);
        }
      }
      return properties;
    }
  }
}
