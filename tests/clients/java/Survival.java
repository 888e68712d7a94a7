import java.io.File;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/** Submits a master whose ResourceManager is going to die, and waits for its end: one attempt has to do. */
public final class Survival {
  private Survival() {
  }

  public static void main(String[] arguments) throws Exception {
    YarnClient yarn = YarnClient.createYarnClient();
    yarn.init(new YarnConfiguration());
    yarn.start();
    File end = new File(arguments[0]);
    ApplicationId application = Masters.submit(yarn, "survival", "AsyncMaster 3 'mktemp " + end
        + "-XXXXXX; while [ ! -e " + end + " ]; do sleep 0.2; done'");
    Expect.soon("all of it runs", () -> begun(yarn, application, end) == 3);
    System.out.flush();
    Expect.soon("it is over", () -> Masters.isOver(yarn, application));
    ApplicationReport report = yarn.getApplicationReport(application);
    Expect.equal("what it said", "ran 3 times", report.getDiagnostics());
    Expect.equal("its final status", FinalApplicationStatus.SUCCEEDED, report.getFinalApplicationStatus());
    Expect.equal("its attempts", 1, yarn.getApplicationAttempts(application).size());
    yarn.stop();
    System.out.println("done");
  }

  /** What is allocated is said to run; a node refuses to start what an earlier ResourceManager allocated. */
  private static int begun(YarnClient yarn, ApplicationId application, File end) throws Exception {
    ApplicationReport report = yarn.getApplicationReport(application);
    if (Masters.isOver(yarn, application)) {
      throw new AssertionError("it is over already: " + report.getDiagnostics());
    }
    return end.getParentFile().list((directory, name) -> name.startsWith(end.getName() + "-")).length;
  }
}
