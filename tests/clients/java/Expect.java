/** What the programs of this directory claim, and how long they wait for it. */
final class Expect {
  private static final long PATIENCE_NS = 240_000_000_000L;
  private static final long PAUSE_MS = 50;

  /** A condition that may fail while it is asked. */
  interface Question {
    boolean ask() throws Exception;
  }

  private Expect() {
  }

  static void that(String claim, boolean isTrue) {
    if (!isTrue) {
      throw new AssertionError(claim);
    }
    System.out.println("ok " + claim);
  }

  static void equal(String claim, Object expected, Object found) {
    if (!expected.equals(found)) {
      throw new AssertionError(claim + ": expected " + expected + ", found " + found);
    }
    System.out.println("ok " + claim);
  }

  /** Asks again and again until it is so. */
  static void soon(String claim, Question question) throws Exception {
    long deadline = System.nanoTime() + PATIENCE_NS;
    while (!question.ask()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError(claim + ": not within four minutes");
      }
      Thread.sleep(PAUSE_MS);
    }
    System.out.println("ok " + claim);
  }
}
