package io.forebay.server.protect.auth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.PasswordFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.security.crypto.bcrypt.BCrypt;

/** The queue of passwords that wait, and what is remembered, by a clock that the test moves. */
final class PasswordVerifierTest {
  private static final Credentials RIGHT = new Credentials("a", "right");

  @TempDir Path directory;
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private final VerifierThreads threads = new VerifierThreads(1);
  private final PasswordVerifier verifier = new PasswordVerifier(threads, nanos::get);

  @SuppressWarnings("NullAway.Init")
  private PasswordFile users;

  @BeforeEach
  void write() throws Exception {
    users = users("right");
  }

  @AfterEach
  void close() {
    threads.close();
  }

  private PasswordFile users(String password) throws Exception {
    return PasswordFile.read(
        Files.writeString(
            directory.resolve("users"), "a:" + BCrypt.hashpw(password, BCrypt.gensalt(4)) + "\n"));
  }

  private boolean isRight(Credentials credentials) throws Exception {
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    assertTrue(verifier.verify(users, credentials, () -> true, answer::complete));
    return answer.get(60, TimeUnit.SECONDS);
  }

  @Test
  void whatWasRightIsRememberedForAWhileAndUntilTheHashChanges() throws Exception {
    assertFalse(verifier.isRemembered(users, RIGHT));
    assertTrue(isRight(RIGHT));
    assertTrue(verifier.isRemembered(users, RIGHT));
    assertFalse(verifier.isRemembered(users, new Credentials("a", "wrong")));
    assertFalse(verifier.isRemembered(users, new Credentials("b", "right")));
    assertFalse(verifier.isRemembered(users("other"), RIGHT));
    assertFalse(verifier.isRemembered(users("right"), RIGHT), "another salt");
    nanos.addAndGet(TimeUnit.MINUTES.toNanos(5) - 1);
    assertTrue(verifier.isRemembered(users, RIGHT));
    nanos.addAndGet(1);
    assertFalse(verifier.isRemembered(users, RIGHT));
  }

  @Test
  void whatIsWrongIsNotRemembered() throws Exception {
    assertFalse(isRight(new Credentials("a", "wrong")));
    assertFalse(verifier.isRemembered(users, new Credentials("a", "wrong")));
    assertFalse(isRight(new Credentials("nobody", "right")));
  }

  @Test
  void moreThanMayWaitAreTurnedAwayAndWhoHasLeftCostsNoHash() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    int refused = 0;
    CountDownLatch told = new CountDownLatch(1 + VerifierThreads.MAX_WAITING);
    assertTrue(
        verifier.verify(
            users,
            RIGHT,
            () -> {
              begun.countDown();
              awaitOrGoOn(gate);
              return false;
            },
            isRight -> told.countDown()));
    assertTrue(begun.await(60, TimeUnit.SECONDS));
    for (int i = 0; i < VerifierThreads.MAX_WAITING + 5; i++) {
      if (!verifier.verify(users, RIGHT, () -> false, isRight -> told.countDown())) {
        refused++;
      }
    }
    assertEquals(5, refused);
    gate.countDown();
    assertTrue(told.await(60, TimeUnit.SECONDS));
    assertFalse(verifier.isRemembered(users, RIGHT));
  }

  @Test
  void credentialsShowNoPassword() {
    assertEquals("a:***", RIGHT.toString());
    assertEquals("1 user", users.toString());
  }

  private static void awaitOrGoOn(CountDownLatch gate) {
    try {
      assertTrue(gate.await(60, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
