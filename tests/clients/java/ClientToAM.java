import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.PrivilegedExceptionAction;
import javax.security.sasl.SaslException;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.mapreduce.v2.api.MRClientProtocol;
import org.apache.hadoop.mapreduce.v2.api.protocolrecords.GetJobReportRequest;
import org.apache.hadoop.mapreduce.v2.api.protocolrecords.KillJobRequest;
import org.apache.hadoop.mapreduce.v2.api.records.JobId;
import org.apache.hadoop.mapreduce.v2.api.records.JobReport;
import org.apache.hadoop.mapreduce.v2.api.records.JobState;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.SecurityUtil;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.ipc.YarnRPC;
import org.apache.hadoop.yarn.security.client.ClientToAMTokenIdentifier;
import org.apache.hadoop.yarn.util.Records;

/** Calls the masters of two running jobs, with the tokens that the ResourceManager gives for them and without. */
public final class ClientToAM {
  private final YarnConfiguration configuration = new YarnConfiguration();
  private final YarnClient yarn = YarnClient.createYarnClient();

  private ClientToAM() {
  }

  public static void main(String[] arguments) throws Exception {
    new ClientToAM().run(ApplicationId.fromString(arguments[0]), ApplicationId.fromString(arguments[1]));
    System.out.println("done");
  }

  private void run(ApplicationId first, ApplicationId second) throws Exception {
    SecurityUtil.setSecurityInfoProviders(new MasterTokens());
    configuration.setInt("ipc.client.connect.max.retries", 1);
    yarn.init(configuration);
    yarn.start();
    ApplicationReport report = yarn.getApplicationReport(first);
    org.apache.hadoop.yarn.api.records.Token given = report.getClientToAMToken();
    Expect.equal("the kind of the token", ClientToAMTokenIdentifier.KIND_NAME.toString(), given.getKind());
    Token<ClientToAMTokenIdentifier> token = tokenFor(report, given);
    Expect.equal("for which attempt it is", report.getCurrentApplicationAttemptId(),
        token.decodeIdentifier().getApplicationAttemptID());
    Expect.equal("for whom it is", UserGroupInformation.getCurrentUser().getUserName(),
        token.decodeIdentifier().getClientName());

    JobReport job = call(report, token, master -> report(master, first));
    Expect.equal("the job", jobOf(first), job.getJobId());
    Expect.equal("its state", JobState.RUNNING, job.getJobState());

    Expect.that("no token", refusal(report, null) instanceof AccessControlException);
    byte[] wrong = token.getPassword().clone();
    wrong[0] ^= 1;
    Token<ClientToAMTokenIdentifier> forged =
        new Token<>(token.getIdentifier(), wrong, token.getKind(), token.getService());
    Expect.that("a forged token", refusal(report, forged) instanceof SaslException);
    Token<ClientToAMTokenIdentifier> another =
        tokenFor(report, yarn.getApplicationReport(second).getClientToAMToken());
    Expect.that("a token of another attempt", refusal(report, another) instanceof SaslException);

    call(report, token, master -> {
      KillJobRequest request = Records.newRecord(KillJobRequest.class);
      request.setJobId(jobOf(first));
      return master.killJob(request);
    });
    Expect.soon("it was killed", () -> Masters.isOver(yarn, first));
    ApplicationReport end = yarn.getApplicationReport(first);
    Expect.equal("how it ended", YarnApplicationState.FINISHED, end.getYarnApplicationState());
    Expect.that("by whom: " + end.getDiagnostics(),
        end.getDiagnostics().contains(token.decodeIdentifier().getClientName() + " (auth:TOKEN)"));
    yarn.killApplication(second);
    yarn.stop();
  }

  private interface Question<T> {
    T ask(MRClientProtocol master) throws IOException;
  }

  private static JobId jobOf(ApplicationId application) {
    JobId job = Records.newRecord(JobId.class);
    job.setAppId(application);
    job.setId(application.getId());
    return job;
  }

  private static JobReport report(MRClientProtocol master, ApplicationId application) throws IOException {
    GetJobReportRequest request = Records.newRecord(GetJobReportRequest.class);
    request.setJobId(jobOf(application));
    return master.getJobReport(request).getJobReport();
  }

  private static InetSocketAddress addressOf(ApplicationReport report) {
    return NetUtils.createSocketAddrForHost(report.getHost(), report.getRpcPort());
  }

  private static Token<ClientToAMTokenIdentifier> tokenFor(
      ApplicationReport report, org.apache.hadoop.yarn.api.records.Token given) {
    Token<ClientToAMTokenIdentifier> token =
        org.apache.hadoop.yarn.util.ConverterUtils.convertFromYarn(given, addressOf(report));
    SecurityUtil.setTokenService(token, addressOf(report));
    return token;
  }

  /** As a user who holds this token and nothing else. */
  private <T> T call(ApplicationReport report, Token<ClientToAMTokenIdentifier> token, Question<T> question)
      throws Exception {
    UserGroupInformation user = UserGroupInformation.createRemoteUser("somebody");
    if (token != null) {
      user.addToken(token);
    }
    return user.doAs((PrivilegedExceptionAction<T>) () -> {
      YarnRPC rpc = YarnRPC.create(configuration);
      MRClientProtocol master =
          (MRClientProtocol) rpc.getProxy(MRClientProtocol.class, addressOf(report), configuration);
      try {
        return question.ask(master);
      } finally {
        rpc.stopProxy(master, configuration);
      }
    });
  }

  /** The innermost reason why the master did not answer. */
  private Throwable refusal(ApplicationReport report, Token<ClientToAMTokenIdentifier> token) throws Exception {
    try {
      call(report, token, master -> report(master, report.getApplicationId()));
    } catch (IOException refused) {
      Throwable reason = refused;
      while (reason.getCause() != null) {
        reason = reason.getCause();
      }
      return reason instanceof RemoteException ? ((RemoteException) reason).unwrapRemoteException() : reason;
    }
    throw new AssertionError("the master answered");
  }
}
