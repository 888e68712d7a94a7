import java.util.Collections;
import java.util.EnumSet;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.yarn.api.ApplicationConstants;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.client.api.YarnClient;

/** Programs of this directory as masters in containers: the class path of whoever submits them is theirs. */
final class Masters {
  private Masters() {
  }

  static ApplicationId submit(YarnClient yarn, String name, String master) throws Exception {
    ApplicationSubmissionContext context = yarn.createApplication().getApplicationSubmissionContext();
    Map<String, String> environment = new TreeMap<>();
    environment.put("CLASSPATH", System.getProperty("java.class.path"));
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    String command = ApplicationConstants.Environment.JAVA_HOME.$$() + "/bin/java -XX:TieredStopAtLevel=1 " + master
        + " 1>" + ApplicationConstants.LOG_DIR_EXPANSION_VAR + "/stdout"
        + " 2>" + ApplicationConstants.LOG_DIR_EXPANSION_VAR + "/stderr";
    context.setApplicationName(name);
    context.setAMContainerSpec(ContainerLaunchContext.newInstance(
        null, environment, Collections.singletonList(command), null, null, null));
    context.setResource(Resource.newInstance(512, 1));
    context.setMaxAppAttempts(1);
    return yarn.submitApplication(context);
  }

  static boolean isOver(YarnClient yarn, ApplicationId application) throws Exception {
    return EnumSet.of(YarnApplicationState.FINISHED, YarnApplicationState.FAILED, YarnApplicationState.KILLED)
        .contains(yarn.getApplicationReport(application).getYarnApplicationState());
  }
}
