import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException;

/**
 * Submits masters to run in containers: one to the end, one to be killed.
 */
public final class Submission {
  private final YarnClient yarn = YarnClient.createYarnClient();

  private Submission() {
  }

  public static void main(String[] arguments) throws Exception {
    new Submission().run();
    System.out.println("done");
  }

  private void run() throws Exception {
    yarn.init(new YarnConfiguration());
    yarn.start();
    toTheEnd();
    killed();
    unknown();
    yarn.stop();
  }

  private void toTheEnd() throws Exception {
    ApplicationId application = submit("to the end", "AsyncMaster 3 'echo hello 1><LOG_DIR>/stdout'");
    Expect.soon("it is over", () -> Masters.isOver(yarn, application));
    ApplicationReport report = yarn.getApplicationReport(application);
    Expect.equal("what it said", "ran 3 times", report.getDiagnostics());
    Expect.equal("its state", YarnApplicationState.FINISHED, report.getYarnApplicationState());
    Expect.equal("its final status", FinalApplicationStatus.SUCCEEDED, report.getFinalApplicationStatus());
    Expect.equal("its attempts", 1, yarn.getApplicationAttempts(application).size());
  }

  private void killed() throws Exception {
    ApplicationId application = submit("to be killed", "AsyncMaster 1 'sleep 300'");
    Expect.soon("it runs", () -> state(application) == YarnApplicationState.RUNNING);
    Expect.equal("its new priority", Priority.newInstance(4),
        yarn.updateApplicationPriority(application, Priority.newInstance(4)));
    yarn.killApplication(application, "enough of it");
    Expect.soon("it was killed", () -> state(application) == YarnApplicationState.KILLED);
    ApplicationReport report = yarn.getApplicationReport(application);
    Expect.that("why: " + report.getDiagnostics(), report.getDiagnostics().contains("enough of it"));
    Expect.equal("the priority it had", 4, report.getPriority().getPriority());
  }

  private void unknown() throws Exception {
    try {
      yarn.getApplicationReport(ApplicationId.newInstance(1, 1));
    } catch (ApplicationNotFoundException expected) {
      Expect.that("an unknown application is not found", true);
      return;
    }
    throw new AssertionError("an application that nobody submitted has a report");
  }

  private ApplicationId submit(String name, String master) throws Exception {
    return Masters.submit(yarn, name, master);
  }

  private YarnApplicationState state(ApplicationId application) throws Exception {
    return yarn.getApplicationReport(application).getYarnApplicationState();
  }
}
