package io.forebay.server.protect;

import io.forebay.server.config.ProtectionProfile;
import io.forebay.server.protect.auth.PasswordVerifier;
import io.forebay.server.protect.auth.VerifierThreads;
import io.forebay.server.protect.forward.ForwardVerdicts;
import io.forebay.server.protect.token.TokenKeys;
import io.forebay.server.protect.token.TokenVerifier;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongSupplier;

/** What verifies credentials for all loops of a node; any thread. */
public final class Verifiers implements AutoCloseable {
  private final VerifierThreads threads;
  private final PasswordVerifier passwords;
  private final TokenKeys keys;
  private final TokenVerifier tokens;
  private final ForwardVerdicts forwarded;

  /**
   * Begins without threads.
   *
   * @param maxThreads that verify
   * @param directory of the node's data
   * @param clockMillis wall clock, by which tokens expire
   * @param nanoTime a clock that never goes back
   */
  public Verifiers(
      int maxThreads, Path directory, LongSupplier clockMillis, LongSupplier nanoTime) {
    threads = new VerifierThreads(maxThreads);
    passwords = new PasswordVerifier(threads, nanoTime);
    keys = new TokenKeys(directory, nanoTime);
    tokens = new TokenVerifier(threads, keys, clockMillis, nanoTime);
    forwarded = new ForwardVerdicts(nanoTime);
  }

  /**
   * Starts what these profiles need: threads, and the fetching of keys. Not called on a loop, whose
   * CPU the threads would inherit. The caller owns the directory.
   */
  public void prepare(List<ProtectionProfile> profiles) {
    if (profiles.stream().anyMatch(of -> of.basicAuth() != null || of.jwt() != null)) {
      threads.prepare();
    }
    keys.prepare(profiles);
  }

  PasswordVerifier passwords() {
    return passwords;
  }

  TokenVerifier tokens() {
    return tokens;
  }

  /** What the requests of all loops know of the verdicts of others. */
  public ForwardVerdicts forwarded() {
    return forwarded;
  }

  @Override
  public void close() {
    keys.close();
    threads.close();
  }
}
