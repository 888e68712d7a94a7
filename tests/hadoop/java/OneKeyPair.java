package yarnbox.twin;

import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyPairGeneratorSpi;
import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.security.SecureRandom;
import java.security.Security;

/**
 * One pair of keys for all: each ResourceManager makes a certificate authority for its web proxy when it starts, and the
 * search for its primes would take most of the time that a small scenario takes.
 */
public final class OneKeyPair extends KeyPairGeneratorSpi {
  private static final int BITS = 2048;
  private static KeyPair pair;

  /** From now on whoever wants RSA keys gets this pair. */
  static void install() throws NoSuchAlgorithmException {
    KeyPairGenerator real = KeyPairGenerator.getInstance("RSA");
    real.initialize(BITS);
    pair = real.generateKeyPair();
    Security.insertProviderAt(new OneKeyPairProvider(), 1);
  }

  @Override
  public void initialize(int bits, SecureRandom random) {}

  @Override
  public KeyPair generateKeyPair() {
    return pair;
  }

  /** Makes the pair known. */
  private static final class OneKeyPairProvider extends Provider {
    private static final long serialVersionUID = 1L;

    OneKeyPairProvider() {
      super("OneKeyPair", "1", "one pair of keys for all");
      put("KeyPairGenerator.RSA", OneKeyPair.class.getName());
    }
  }
}
