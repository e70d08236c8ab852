package io.forebay.server.protect.token;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.JwtConfig;
import io.forebay.server.config.ProtectionProfile;
import io.forebay.server.config.ProtectionProfile.AccessConfig;
import io.forebay.server.jwt.JwtAlgorithm;
import io.forebay.server.jwt.JwtExpectations;
import io.forebay.server.jwt.VerificationKeys;
import io.forebay.testing.Await;
import io.forebay.testing.JwtSigner;
import io.forebay.testing.ScriptedOrigin;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** When keys are fetched, by a clock that the test moves. */
@Timeout(120)
final class TokenKeysTest {
  private static final String SET = JwtSigner.set(JwtSigner.of("k", "ES256"));

  @TempDir Path directory;
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private final AtomicInteger asked = new AtomicInteger();
  private final CountDownLatch gate = new CountDownLatch(1);
  private final ScriptedOrigin origin = ScriptedOrigin.start();
  private volatile boolean isHanging;

  @AfterEach
  void close() throws IOException {
    gate.countDown();
    origin.close();
  }

  private TokenKeys keys(JwtConfig config) {
    origin.serve(connection -> {
      while (true) {
        String ignored = connection.head();
        asked.incrementAndGet();
        if (isHanging) {
          awaitGate();
        }
        connection.send("HTTP/1.1 200 OK\r\ncontent-length: " + SET.length() + "\r\n\r\n" + SET);
      }
    });
    TokenKeys keys = new TokenKeys(directory, nanos::get);
    keys.prepare(profiles(config));
    return keys;
  }

  private void awaitGate() throws IOException {
    try {
      assertTrue(gate.await(60, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private JwtConfig config() {
    return new JwtConfig(
        new JwtExpectations(EnumSet.of(JwtAlgorithm.ES256), null, List.of(), List.of(), 0),
        null,
        URI.create(origin.url() + "/jwks"),
        null,
        VerificationKeys.NONE,
        List.of(),
        List.of(),
        "r",
        false,
        List.of());
  }

  private static List<ProtectionProfile> profiles(JwtConfig config) {
    return List.of(
        new ProtectionProfile(
            "p", AccessConfig.ALL, List.of(), List.of(), null, null, config, null));
  }

  private boolean refetches(TokenKeys keys, JwtConfig config) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    boolean isTaken = keys.refetch(config, done::countDown);
    return isTaken && done.await(60, TimeUnit.SECONDS);
  }

  @Test
  void tokensHaveKeysFetchedEveryThirtySecondsAtMost() throws Exception {
    JwtConfig config = config();
    try (TokenKeys keys = keys(config)) {
      Await.until("the first set", () -> keys.of(config).toString().equals("1 key"));
      Await.until("a fetch for a token", () -> refetches(keys, config) && asked.get() == 2);
      nanos.addAndGet(RemoteKeys.REFETCH.toNanos() - 1);
      assertFalse(refetches(keys, config));
      nanos.addAndGet(1);
      assertTrue(refetches(keys, config));
      assertFalse(refetches(keys, config));
      assertEquals(3, asked.get());
    }
  }

  @Test
  void soManyMayWaitForAFetchAndAreTold() throws Exception {
    isHanging = true;
    JwtConfig config = config();
    CountDownLatch told = new CountDownLatch(RemoteKeys.MAX_WAITING);
    try (TokenKeys keys = keys(config)) {
      for (int i = 0; i < RemoteKeys.MAX_WAITING; i++) {
        assertTrue(keys.refetch(config, told::countDown));
      }
      assertFalse(keys.refetch(config, told::countDown));
      gate.countDown();
      assertTrue(told.await(60, TimeUnit.SECONDS));
      assertEquals("1 key", keys.of(config).toString());
    }
    assertEquals(1, asked.get());
  }

  @Test
  void aNodeThatStopsTellsWhoWaits() throws Exception {
    isHanging = true;
    JwtConfig config = config();
    CountDownLatch told = new CountDownLatch(1);
    TokenKeys keys = keys(config);
    assertTrue(keys.refetch(config, told::countDown));
    keys.close();
    assertTrue(told.await(60, TimeUnit.SECONDS));
    assertFalse(keys.refetch(config, told::countDown));
  }

  @Test
  void aUrlIsForgottenTwoConfigurationsAfterItsLast() throws Exception {
    JwtConfig config = config();
    try (TokenKeys keys = keys(config)) {
      Await.until("the first set", () -> !keys.of(config).isEmpty());
      keys.prepare(List.of());
      assertFalse(keys.of(config).isEmpty(), "requests in progress have it");
      keys.prepare(List.of());
      assertTrue(keys.of(config).isEmpty());
    }
  }

  @Test
  void aFileThatIsDamagedIsNotUsed() throws Exception {
    JwtConfig config = config();
    KeyFile file = KeyFile.of(directory, URI.create(origin.url() + "/jwks"));
    try (TokenKeys keys = keys(config)) {
      Await.until("the first set", () -> !keys.of(config).isEmpty());
      Await.until("it is written", () -> file.read() != null);
    }
    assertEquals(SET, new String(requireNonNull(file.read()), StandardCharsets.UTF_8));
    Path ignored = Files.writeString(Path.of(file.toString()), SET.substring(1));
    isHanging = true;
    try (TokenKeys keys = keys(config)) {
      assertTrue(keys.of(config).isEmpty());
    }
  }
}
