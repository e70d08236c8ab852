package io.forebay.server.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SecretMaskTest {
  private final SecretMask mask = new SecretMask(List.of("token", "Sig", "x-amz-signature"));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/a?token=abcdef&b=1            | /a?token=***&b=1",
        "/a?b=1&token=abcdef            | /a?b=1&token=***",
        "/a?TOKEN=abcdef                | /a?TOKEN=***",
        "/a?sig=ab                      | /a?sig=**",
        "/a?sig=&b=2                    | /a?sig=&b=2",
        "/a?t%6Fken=abcdef&b=c          | /a?t%6Fken=***&b=c",
        "/a?t%6fken=abc=def             | /a?t%6fken=***",
        "/a?mytoken=abc&tokens=def      | /a?mytoken=abc&tokens=def",
        "/a;token=abc/b                 | /a;token=***",
        "https://h/a?token=abc#sig=xyz  | https://h/a?token=***#sig=***",
        "/token=abc                     | /token=abc",
        "/a?X-Amz-Signature=0f0f&token  | /a?X-Amz-Signature=***&token",
        "/a?token%3Dabc                 | /a?token%3Dabc",
        "/a?a=1&&token=abc              | /a?a=1&&token=***",
      })
  void valuesOfSecretsDisappear(String text, String masked) {
    assertEquals(masked, mask.apply(text));
  }

  @Test
  void aQueryBeginsWithAName() {
    byte[] query = "token=abc&a=1".getBytes(StandardCharsets.US_ASCII);
    int end = mask.apply(query, 0, query.length, true);
    assertEquals("token=***&a=1", new String(query, 0, end, StandardCharsets.US_ASCII));
  }

  @Test
  void namesAreFoundAsTheyAre() {
    assertTrue(mask.hides("ToKeN"));
    assertFalse(mask.hides("tok"));
    assertEquals("/?token=abc", new SecretMask(List.of()).apply("/?token=abc"));
  }

  @Test
  void aSecretNeverRemainsWhateverStandsAroundIt() {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    String alphabet = "ab=&?;#%/6token";
    for (int i = 0; i < 20_000; i++) {
      StringBuilder text = new StringBuilder();
      for (int n = random.nextInt(30); n > 0; n--) {
        text.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      text.append("&token=SECRET");
      if (random.nextBoolean()) {
        text.append('&').append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      String masked = mask.apply(text.toString());
      assertFalse(masked.contains("SECRET"), () -> "seed " + seed + ": " + text);
      assertTrue(masked.length() <= text.length(), () -> "seed " + seed + ": " + text);
    }
  }
}
