package io.forebay.server.accesslog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What lines have of the addresses in fields of proxies. */
final class AddressFieldsTest {
  private final AddressFields fields = new AddressFields(24, 48);

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      value = {
        "192.0.2.7~192.0.2.0",
        "192.0.2.7:4711~192.0.2.0",
        "192.0.2.7, 198.51.100.99~192.0.2.0, 198.51.100.0",
        "192.0.2.7,198.51.100.99~192.0.2.0, 198.51.100.0",
        "2001:db8:1:2::3~2001:db8:1::",
        "[2001:db8:1:2::3]~2001:db8:1::",
        "[2001:db8:1:2::3]:4711~2001:db8:1::",
        "::ffff:192.0.2.7~192.0.2.0",
        "fe80::1%eth0~*",
        "unknown~*",
        "192.0.2.7 198.51.100.99~*",
        "192.0.2.7;198.51.100.99~*",
        "192.0.2.300~*",
        "192.0.2.7:port~*",
        "[2001:db8:1:2::3~*",
        "[2001:db8:1:2::3]x~*",
        "x192.0.2.7~*",
        "\"192.0.2.7\"~*",
        "\"192.0.2.7, 198.51.100.99~*",
        "\"\"~*",
        "192.0.2.7,,a~192.0.2.0, *, *"
      })
  void listsHaveShortenedAddressesAndNothingElse(String value, String shown) {
    assertEquals(shown, fields.shortened("x-forwarded-for", value));
    assertEquals(shown, fields.shortened("x-real-ip", value));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '\'',
      value = {
        "for=192.0.2.7~for=192.0.2.0",
        "For=\"192.0.2.7:4711\"~for=192.0.2.0",
        "for=\"[2001:db8:1:2::3]:4711\";proto=https~for=\"[2001:db8:1::]\";proto=https",
        "for=192.0.2.7;by=198.51.100.9, for=198.51.100.99"
            + "~for=192.0.2.0;by=198.51.100.0, for=198.51.100.0",
        "for=192.0.2.7;host=192.0.2.7;secret=192.0.2.7~for=192.0.2.0",
        "for=_hidden~for=*",
        "for=unknown;proto=192.0.2.7~for=*;proto=*",
        "for=\"192.0.2.7~for=*",
        "for=\"192.0.2.7, for=198.51.100.99~for=*",
        "for=\"192.0.2.7\\\"\"~for=*",
        "192.0.2.7~*",
        "for=192.0.2.7;192.0.2.7~*",
        "host=192.0.2.7~*"
      })
  void forwardedHasShortenedAddressesAndTheScheme(String value, String shown) {
    assertEquals(shown, fields.shortened("forwarded", value));
  }

  @Test
  void noTextHasTheWholeAddressAfterwards() {
    long seed = new SplittableRandom().nextLong();
    SplittableRandom random = new SplittableRandom(seed);
    List<String> parts =
        List.of(
            "192.0.2.77",
            "2001:db8:1:2::77",
            "for=",
            "by=",
            "host=",
            "proto=",
            "\"",
            "[",
            "]",
            ",",
            ";",
            ":4711",
            " ",
            "\\",
            "%",
            "x",
            "=",
            "unknown");
    for (int n = 0; n < 20_000; n++) {
      StringBuilder value = new StringBuilder();
      int count = 1 + random.nextInt(8);
      for (int i = 0; i < count; i++) {
        value.append(parts.get(random.nextInt(parts.size())));
      }
      for (String name : List.of("forwarded", "x-forwarded-for")) {
        String shown = fields.shortened(name, value.toString());
        assertFalse(shown.contains("77"), "seed " + seed + "L: " + value + " -> " + shown);
      }
    }
  }

  @Test
  void knowsTheFieldsOfProxies() {
    assertTrue(AddressFields.isOne("forwarded"));
    assertTrue(AddressFields.isOne("x-forwarded-for"));
    assertTrue(AddressFields.isOne("true-client-ip"));
    assertFalse(AddressFields.isOne("user-agent"));
  }
}
