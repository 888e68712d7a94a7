import java.lang.annotation.Annotation;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.v2.api.MRClientProtocolPB;
import org.apache.hadoop.security.KerberosInfo;
import org.apache.hadoop.security.SecurityInfo;
import org.apache.hadoop.security.token.TokenIdentifier;
import org.apache.hadoop.security.token.TokenInfo;
import org.apache.hadoop.security.token.TokenSelector;
import org.apache.hadoop.yarn.security.client.ClientToAMTokenSelector;

/** Says which tokens the masters of jobs want; Hadoop's own class for that is in none of the client jars. */
public final class MasterTokens extends SecurityInfo {
  @Override
  public KerberosInfo getKerberosInfo(Class<?> protocol, Configuration configuration) {
    return null;
  }

  @Override
  public TokenInfo getTokenInfo(Class<?> protocol, Configuration configuration) {
    return protocol.equals(MRClientProtocolPB.class) ? new ByAttempt() : null;
  }

  private static final class ByAttempt implements TokenInfo {
    @Override
    public Class<? extends Annotation> annotationType() {
      return TokenInfo.class;
    }

    @Override
    public Class<? extends TokenSelector<? extends TokenIdentifier>> value() {
      return ClientToAMTokenSelector.class;
    }
  }
}
