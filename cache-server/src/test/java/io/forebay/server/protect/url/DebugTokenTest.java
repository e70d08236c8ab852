package io.forebay.server.protect.url;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.Secret;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which tokens let a client debug. */
final class DebugTokenTest {
  private static final String SECRET = "a secret that is long enough";
  private static final long NOW = 1_800_000_000L;

  private final DebugToken tokens = new DebugToken(new Secret(SECRET));

  @Test
  void aTokenIsValidUntilItExpires() {
    String token = tokens.sign(NOW + 60);
    assertTrue(tokens.admits(token, NOW));
    assertTrue(tokens.admits(token, NOW + 59));
    assertFalse(tokens.admits(token, NOW + 60));
    assertFalse(new DebugToken(new Secret("another secret, also long")).admits(token, NOW));
  }

  /** What the documentation says, computed without this class. */
  @Test
  void theFormatIsStable() throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
    byte[] signature = mac.doFinal("forebay-debug-1\n1800000060".getBytes(StandardCharsets.UTF_8));
    assertEquals(
        "1800000060~" + Base64.getUrlEncoder().withoutPadding().encodeToString(signature),
        tokens.sign(NOW + 60));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "~", "1800000060", "1800000060~", "1800000060~x", "x~y", "1~2~3", "-1~x"})
  void nothingElseIsAToken(String token) {
    assertFalse(tokens.admits(token, NOW));
  }

  @Test
  void aTimeThatIsChangedIsNotSigned() {
    String token = tokens.sign(NOW - 1);
    assertFalse(tokens.admits(token.replace("1799999999", "1899999999"), NOW));
    assertFalse(tokens.admits(token + "x".repeat(64), NOW - 2));
    assertTrue(tokens.admits(token, NOW - 2));
  }
}
