package io.forebay.core.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class AuthorityNormalizerTest {

  @ParameterizedTest
  @CsvSource({
    "example.com, http, example.com",
    "EXAMPLE.Com, http, example.com",
    "example.com., http, example.com",
    "example.com:80, http, example.com",
    "example.com:443, https, example.com",
    "example.com:80, https, example.com:80",
    "example.com:443, http, example.com:443",
    "example.com.:81, http, example.com:81",
    "example.com:, http, example.com",
    "Example.com:8080, http, example.com:8080",
    "a_b-c.x, http, a_b-c.x",
    "127.0.0.1:8080, http, 127.0.0.1:8080",
    "1.2.3.com, http, 1.2.3.com",
    "[::1], http, [::1]",
    "[::1]:80, http, [::1]",
    "[2001:DB8::1]:8443, https, [2001:db8::1]:8443",
    "[::ffff:1.2.3.4], http, [::ffff:1.2.3.4]",
    "[1:2:3:4:5:6:7:8], http, [1:2:3:4:5:6:7:8]",
    "[1::], http, [1::]",
    "h:65535, http, h:65535",
    "h:1, http, h:1"
  })
  void bringsAuthoritiesIntoNormalForm(String raw, String scheme, String expected) {
    assertEquals(expected, AuthorityNormalizer.normalize(raw, scheme));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ":80",
        ".",
        "a..b",
        ".a",
        "u@h",
        "u:p@h",
        "h:0",
        "h:65536",
        "h:080",
        "h:8a",
        "h:-1",
        "h:99999999999",
        "h:80:80",
        "a b",
        "a/b",
        "a%41",
        "\u00e4.de",
        "a,b",
        "a\\b",
        "256.1.1.1",
        "1.2.3",
        "1.2.3.4.5",
        "01.2.3.4",
        "1234",
        "[",
        "[]",
        "[::1",
        "[::1]x",
        "[::1]80",
        "[:::]",
        "[1::2::3]",
        "[1:2:3:4:5:6:7]",
        "[1:2:3:4:5:6:7:8:9]",
        "[::12345]",
        "[::g]",
        "[fe80::1%25eth0]",
        "[v1.x]",
        "[1:2:3:4:5:6:7:1.2.3.4]",
        "::1",
        "[:1:2:3:4:5:6:7]",
        "[1:2:3:4:5:6:7:]",
        "[\uff11::]",
        "h\0",
        "h\n"
      })
  void refusesWhatIsNoAuthority(String raw) {
    assertNull(AuthorityNormalizer.normalize(raw, "http"));
  }

  @Test
  void refusesNamesLongerThanDnsAllows() {
    assertNull(AuthorityNormalizer.normalize("a".repeat(64) + ".com", "http"));
    assertNull(AuthorityNormalizer.normalize("a.".repeat(127) + "com", "http"));
    assertEquals("a".repeat(63), AuthorityNormalizer.normalize("a".repeat(63), "http"));
  }

  @Test
  void aNormalAuthorityIsGivenBackAsItIs() {
    for (String authority : new String[] {"example.com", "h:8080", "[::1]", "[::1]:81"}) {
      assertSame(authority, AuthorityNormalizer.normalize(authority, "http"));
    }
  }

  @Test
  void splitsNormalAuthorities() {
    assertEquals("h", AuthorityNormalizer.host("h:81"));
    assertEquals("[::1]", AuthorityNormalizer.host("[::1]"));
    assertEquals("[::1]", AuthorityNormalizer.host("[::1]:81"));
    assertEquals(81, AuthorityNormalizer.port("[::1]:81", "http"));
    assertEquals(443, AuthorityNormalizer.port("[::1]", "https"));
    assertEquals(80, AuthorityNormalizer.port("h", "http"));
  }
}
