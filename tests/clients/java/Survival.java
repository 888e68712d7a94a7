import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.ContainerReport;
import org.apache.hadoop.yarn.api.records.ContainerState;
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
    ApplicationId application = Masters.submit(yarn, "survival", "AsyncMaster 3 'while [ ! -e " + arguments[0]
        + " ]; do sleep 0.2; done'");
    Expect.soon("all of it runs", () -> running(yarn, application) == 4);
    System.out.flush();
    Expect.soon("it is over", () -> Masters.isOver(yarn, application));
    ApplicationReport report = yarn.getApplicationReport(application);
    Expect.equal("what it said", "ran 3 times", report.getDiagnostics());
    Expect.equal("its final status", FinalApplicationStatus.SUCCEEDED, report.getFinalApplicationStatus());
    Expect.equal("its attempts", 1, yarn.getApplicationAttempts(application).size());
    yarn.stop();
    System.out.println("done");
  }

  private static int running(YarnClient yarn, ApplicationId application) throws Exception {
    int running = 0;
    ApplicationReport report = yarn.getApplicationReport(application);
    if (Masters.isOver(yarn, application)) {
      throw new AssertionError("it is over already: " + report.getDiagnostics());
    }
    for (ContainerReport container : yarn.getContainers(report.getCurrentApplicationAttemptId())) {
      running += container.getContainerState() == ContainerState.RUNNING ? 1 : 0;
    }
    return running;
  }
}
