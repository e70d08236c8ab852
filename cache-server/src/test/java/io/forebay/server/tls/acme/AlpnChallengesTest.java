package io.forebay.server.tls.acme;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A name has one answer by tls-alpn-01, also where two nodes order its certificate. */
final class AlpnChallengesTest {
  private static final String HOST = "www.shop.example";

  @TempDir Path directory;
  private AcmeLab lab;
  private AlpnChallenges challenges;

  @BeforeEach
  void start() throws Exception {
    lab = new AcmeLab(directory);
    lab.start("hosts: [" + HOST + "], directory: \"http://127.0.0.1:1/dir\"");
    challenges = lab.manager().alpn();
  }

  @AfterEach
  void stop() {
    lab.close();
  }

  private static byte[] hash(int filling) {
    byte[] hash = new byte[32];
    Arrays.fill(hash, (byte) filling);
    return hash;
  }

  private static Map<String, String> others(int filling) {
    return Map.of(HOST, Base64.getEncoder().encodeToString(hash(filling)));
  }

  @Test
  void aNodeThatExpectsAnotherAnswerForANameDoesNotGiveThatOfOthers() throws Exception {
    assertTrue(challenges.others(others(1)));
    challenges.put(HOST, hash(2));
    assertFalse(challenges.others(others(1)));
    assertTrue(challenges.others(others(2)));
    assertFalse(challenges.others(others(1)));
    challenges.remove(HOST);
    assertTrue(challenges.others(others(1)));
  }
}
