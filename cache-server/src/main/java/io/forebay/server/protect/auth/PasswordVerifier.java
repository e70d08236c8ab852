package io.forebay.server.protect.auth;

import io.forebay.server.config.PasswordFile;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.springframework.security.crypto.bcrypt.BCrypt;

/**
 * Verifies passwords on threads of the node, and remembers for a while which were right: by a keyed
 * hash of user, password and stored hash, so that a changed password is asked for anew. Made once a
 * node; any thread.
 */
public final class PasswordVerifier {

  /** Credentials that are remembered. */
  public static final int MAX_REMEMBERED = 16_384;

  private static final long REMEMBERED_NANOS = TimeUnit.MINUTES.toNanos(5);
  private static final String ALGORITHM = "HmacSHA256";

  private final VerifierThreads threads;
  private final Mac mac;
  private final VerdictTable<Boolean> remembered;

  /**
   * One that remembers nothing yet.
   *
   * @param nanoTime a clock that never goes back
   */
  public PasswordVerifier(VerifierThreads threads, LongSupplier nanoTime) {
    this.threads = threads;
    this.remembered = new VerdictTable<>(MAX_REMEMBERED, nanoTime);
    byte[] secret = new byte[32];
    new SecureRandom().nextBytes(secret);
    try {
      mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(secret, ALGORITHM));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Whether these credentials were verified lately. */
  public boolean isRemembered(PasswordFile users, Credentials credentials) {
    if (remembered.isEmpty()) {
      return false;
    }
    String stored = users.hash(credentials.user());
    return stored != null && remembered.get(fingerprint(credentials, stored)) != null;
  }

  /**
   * Verifies credentials.
   *
   * @param isWanted asked before the work begins; where it is false the answer is false
   * @param whenKnown told on a thread of {@link VerifierThreads}
   * @return false if too many verifications wait; then nothing is told
   */
  public boolean verify(
      PasswordFile users,
      Credentials credentials,
      BooleanSupplier isWanted,
      Consumer<Boolean> whenKnown) {
    return threads.execute(
        () -> whenKnown.accept(isWanted.getAsBoolean() && isRight(users, credentials)));
  }

  private boolean isRight(PasswordFile users, Credentials credentials) {
    String stored = users.hash(credentials.user());
    // An unknown user takes as long as a wrong password.
    boolean isEqual =
        BCrypt.checkpw(
            credentials.password().getBytes(StandardCharsets.UTF_8),
            stored == null ? users.anyHash() : stored);
    if (stored == null || !isEqual) {
      return false;
    }
    remembered.put(fingerprint(credentials, stored), true, REMEMBERED_NANOS);
    return true;
  }

  private String fingerprint(Credentials credentials, String stored) {
    try {
      Mac own = (Mac) mac.clone();
      own.update(stored.getBytes(StandardCharsets.UTF_8));
      own.update((byte) 0);
      own.update(credentials.user().getBytes(StandardCharsets.UTF_8));
      own.update((byte) 0);
      return HexFormat.of()
          .formatHex(own.doFinal(credentials.password().getBytes(StandardCharsets.UTF_8)));
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException(e);
    }
  }
}
