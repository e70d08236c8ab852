package io.forebay.server.protect.auth;

import io.forebay.server.config.PasswordFile;
import io.forebay.server.config.ProtectionProfile;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.springframework.security.crypto.bcrypt.BCrypt;

/**
 * Verifies passwords on threads of its own, with a queue that is bounded, and remembers for a while
 * which were right: by a keyed hash of user, password and stored hash, so that a changed password
 * is asked for anew. Made once a node; any thread.
 */
public final class PasswordVerifier implements AutoCloseable {

  /** Passwords that may wait to be verified. */
  public static final int MAX_WAITING = 256;

  /** Credentials that are remembered. */
  public static final int MAX_REMEMBERED = 16_384;

  private static final long REMEMBERED_NANOS = TimeUnit.MINUTES.toNanos(5);
  private static final String ALGORITHM = "HmacSHA256";

  private final LongSupplier nanoTime;
  private final ThreadPoolExecutor threads;
  private final Mac mac;
  private final ConcurrentHashMap<String, Long> remembered = new ConcurrentHashMap<>();

  /**
   * Begins without threads.
   *
   * @param threads at most
   * @param nanoTime a clock that never goes back
   */
  public PasswordVerifier(int threads, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.threads =
        new ThreadPoolExecutor(
            threads,
            threads,
            1,
            TimeUnit.MINUTES,
            new ArrayBlockingQueue<>(MAX_WAITING),
            Thread.ofPlatform().daemon().name("passwords-", 0).factory());
    byte[] secret = new byte[32];
    new SecureRandom().nextBytes(secret);
    try {
      mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(secret, ALGORITHM));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Starts the threads, if a profile asks for passwords. Not called on a loop, whose CPU they would
   * inherit.
   */
  public void prepare(List<ProtectionProfile> profiles) {
    if (profiles.stream().anyMatch(profile -> profile.basicAuth() != null)) {
      int ignored = threads.prestartAllCoreThreads();
    }
  }

  /** Whether these credentials were verified lately. */
  public boolean isRemembered(PasswordFile users, Credentials credentials) {
    if (remembered.isEmpty()) {
      return false;
    }
    String stored = users.hash(credentials.user());
    Long until = stored == null ? null : remembered.get(fingerprint(credentials, stored));
    return until != null && until - nanoTime.getAsLong() > 0;
  }

  /**
   * Verifies credentials.
   *
   * @param isWanted asked before the work begins; where it is false the answer is false
   * @param whenKnown told on a thread of this class
   * @return false if too many passwords wait; then nothing is told
   */
  public boolean verify(
      PasswordFile users,
      Credentials credentials,
      BooleanSupplier isWanted,
      Consumer<Boolean> whenKnown) {
    try {
      threads.execute(
          () -> whenKnown.accept(isWanted.getAsBoolean() && isRight(users, credentials)));
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
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
    remember(fingerprint(credentials, stored));
    return true;
  }

  private void remember(String fingerprint) {
    long now = nanoTime.getAsLong();
    if (remembered.size() >= MAX_REMEMBERED) {
      remembered.values().removeIf(until -> until - now <= 0);
    }
    if (remembered.size() >= MAX_REMEMBERED) {
      remembered.clear();
    }
    remembered.put(fingerprint, now + REMEMBERED_NANOS);
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

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
