import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.security.Permission;
import java.util.Arrays;

/**
 * Runs command after command in one virtual machine, for starting one takes longer than most commands do.
 *
 * A line on standard input is the name of a class and its arguments, with tabs between them. Its {@code main} is
 * run as it is. The answer on standard output: exit status, length of what it printed and of what it complained,
 * each an int, and then both texts. An exception that {@code main} throws makes 1 of it, as in a process of its own.
 */
public final class Commands {
  private static final class Exit extends SecurityException {
    final int status;

    Exit(int status) {
      super("exit " + status);
      this.status = status;
    }
  }

  /** Lets everything happen but the end of the process. */
  @SuppressWarnings("removal")
  private static final class StayAlive extends SecurityManager {
    @Override
    public void checkPermission(Permission permission) {
      // All is permitted.
    }

    @Override
    public void checkPermission(Permission permission, Object context) {
      // All is permitted.
    }

    @Override
    public void checkExit(int status) {
      throw new Exit(status);
    }
  }

  private Commands() {
  }

  @SuppressWarnings("removal")
  public static void main(String[] arguments) throws Exception {
    DataOutputStream answers = new DataOutputStream(System.out);
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    System.setSecurityManager(new StayAlive());
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      ByteArrayOutputStream err = new ByteArrayOutputStream();
      PrintStream before = System.err;
      System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
      System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
      int status;
      try {
        status = run(line.split("\t", -1));
      } finally {
        System.out.flush();
        System.err.flush();
        System.setErr(before);
      }
      answer(answers, status, out.toByteArray(), err.toByteArray());
    }
  }

  private static int run(String[] words) throws Exception {
    String[] rest = Arrays.copyOfRange(words, 1, words.length);
    try {
      Class.forName(words[0]).getMethod("main", String[].class).invoke(null, (Object) rest);
      return 0;
    } catch (InvocationTargetException thrown) {
      if (thrown.getCause() instanceof Exit) {
        return ((Exit) thrown.getCause()).status;
      }
      thrown.getCause().printStackTrace();
      return 1;
    }
  }

  private static void answer(DataOutputStream answers, int status, byte[] out, byte[] err) throws IOException {
    answers.writeInt(status);
    answers.writeInt(out.length);
    answers.writeInt(err.length);
    answers.write(out);
    answers.write(err);
    answers.flush();
  }
}
