package io.forebay.server.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.http.TargetUri;
import io.forebay.core.http.WireRequest;
import io.forebay.server.network.IpAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Groups of clients: who is in which, and how evenly. */
final class SplitTest {
  private static final int CLIENTS = 100_000;
  private static final List<String> TEN = List.of("0", "1", "2", "3", "4", "5", "6", "7", "8", "9");

  private record Client(String listener, String protocol, String tlsVersion, String tlsServerName)
      implements RuleClient {}

  private static final Client CLIENT = new Client("default", "HTTP/1.1", "TLSv1.3", "x.test");

  private static Split split(Split.By by, String field, String salt, int... shares) {
    return new Split(
        "s",
        by,
        field,
        salt,
        TEN.subList(0, shares.length),
        Arrays.stream(shares).boxed().toList());
  }

  private static Split tenths(Split.By by, String field, String salt) {
    int[] shares = new int[10];
    Arrays.fill(shares, 1000);
    return split(by, field, salt, shares);
  }

  private static RequestFacts facts(HeaderFields fields, @Nullable IpAddress address) {
    return new RequestFacts()
        .of(
            SyntheticRequest.of("GET", new TargetUri("https", "x.test", "/", null), fields),
            CLIENT,
            address,
            0);
  }

  private static RequestFacts cookie(String line) {
    return facts(HeaderFields.of("cookie", line), null);
  }

  /** A hash that changes would move clients to other groups with the next version. */
  @ParameterizedTest
  @CsvSource({
    "alice, 7",
    "bob, 0",
    "carol, 6",
    "dave, 7",
    "frank, 0",
    "visitor-1, 5",
    "a, 9",
    "17, 4"
  })
  void aValueIsInTheSameGroupForEver(String value, int group) {
    assertEquals(group, tenths(Split.By.COOKIE, "v", "checkout").group(cookie("a=b; v=" + value)));
    assertEquals(
        group,
        tenths(Split.By.HEADER, "x-id", "checkout")
            .group(facts(HeaderFields.of("x-id", value), null)));
  }

  /** Ten groups of 100,000 clients differ from their share by less than 4 standard deviations. */
  @ParameterizedTest
  @ValueSource(strings = {"checkout", "banner", "x", "a-longer-salt-2026"})
  void sharesAreWhatTheyAreSaidToBe(String salt) {
    Split split = tenths(Split.By.COOKIE, "v", salt);
    Split other = tenths(Split.By.COOKIE, "v", salt + "2");
    int[] counts = new int[10];
    int[] both = new int[10];
    for (int i = 0; i < CLIENTS; i++) {
      RequestFacts facts = cookie("v=visitor-" + i);
      int group = split.group(facts);
      counts[group]++;
      if (group == 0) {
        both[other.group(facts)]++;
      }
    }
    double deviation = Math.sqrt(CLIENTS * 0.1 * 0.9);
    for (int count : counts) {
      assertTrue(Math.abs(count - CLIENTS / 10) < 4 * deviation, () -> count + " in a group");
    }
    // Another salt draws those of one group anew.
    double ofOthers = Math.sqrt(counts[0] * 0.1 * 0.9);
    for (int count : both) {
      assertTrue(
          Math.abs(count - counts[0] / 10.0) < 4 * ofOthers, () -> count + " in both groups");
    }
  }

  @Test
  void addressesAreSpreadAsEvenly() {
    Split split = tenths(Split.By.CLIENT, "", "x");
    int[] counts = new int[10];
    for (int i = 0; i < CLIENTS; i++) {
      counts[
          split.group(
              facts(
                  HeaderFields.EMPTY,
                  IpAddress.of("10." + (i >> 16) + "." + (i >> 8 & 255) + "." + (i & 255))))]++;
    }
    double deviation = Math.sqrt(CLIENTS * 0.1 * 0.9);
    for (int count : counts) {
      assertTrue(Math.abs(count - CLIENTS / 10) < 4 * deviation, () -> count + " in a group");
    }
  }

  @Test
  void whoIsInAGrowingGroupStaysInIt() {
    Split small = split(Split.By.COOKIE, "v", "x", 1000, 9000);
    Split large = split(Split.By.COOKIE, "v", "x", 2500, 7500);
    int joined = 0;
    for (int i = 0; i < 10_000; i++) {
      RequestFacts facts = cookie("v=" + i);
      if (small.group(facts) == 0) {
        assertEquals(0, large.group(facts));
      } else if (large.group(facts) == 0) {
        joined++;
      }
    }
    assertTrue(joined > 1300 && joined < 1700, joined + " joined");
  }

  @Test
  void whoHasNoValueIsInTheLastGroup() {
    Split split = split(Split.By.COOKIE, "v", "x", 9999, 1);
    for (String line : List.of("a=b", "v", "v=", "vv=1; xv=2", "", ";;", "V=1")) {
      assertEquals(1, split.group(cookie(line)), line);
    }
    assertEquals(0, split.group(cookie("v=1")));
    Split client = split(Split.By.CLIENT, "", "x", 9999, 1);
    assertEquals(1, client.group(facts(HeaderFields.EMPTY, null)));
    assertEquals(1, client.group(facts(HeaderFields.EMPTY, IpAddress.UNKNOWN)));
    assertEquals(0, client.group(facts(HeaderFields.EMPTY, IpAddress.of("10.0.0.1"))));
  }

  @Test
  void aHostOfAnIpv6NetworkStaysInItsGroupWhenItsAddressChanges() {
    Split split = tenths(Split.By.CLIENT, "", "x");
    int group = split.group(facts(HeaderFields.EMPTY, IpAddress.of("2001:db8:1:2::1")));
    assertEquals(
        group, split.group(facts(HeaderFields.EMPTY, IpAddress.of("2001:db8:1:2:3:4:5:6"))));
  }

  @Test
  void bothLanesSayTheSame() {
    int found = 0;
    for (int i = 0; i < 1000; i++) {
      String line = "a=" + i + "; v=" + i * 7;
      byte[] head =
          ("GET / HTTP/1.1\r\nHost: x.test\r\nCookie: "
                  + line
                  + "\r\nUser-Agent: u"
                  + i
                  + "\r\n\r\n")
              .getBytes(StandardCharsets.ISO_8859_1);
      WireRequest wire = new WireRequest("https");
      assertEquals(head.length, wire.read(head, 0, head.length, 8192, 100));
      IpAddress address = IpAddress.of("192.0.2." + i % 256);
      RequestFacts fast = new RequestFacts().ofFastLane(wire, CLIENT, address, 0);
      RequestFacts slow = facts(HeaderFields.of("cookie", line, "user-agent", "u" + i), address);
      for (Split split :
          List.of(
              tenths(Split.By.COOKIE, "v", "x"),
              tenths(Split.By.HEADER, "user-agent", "x"),
              tenths(Split.By.CLIENT, "", "x"))) {
        assertEquals(split.group(slow), split.group(fast), line);
        found += split.group(fast) == 3 ? 1 : 0;
      }
      RequestFacts proxied = new RequestFacts().ofFastLane(wire, CLIENT, null, 0);
      assertEquals(Split.LATER, tenths(Split.By.CLIENT, "", "x").group(proxied));
    }
    assertTrue(found > 100, found + " in one group");
  }

  @Test
  void keysTellCombinationsApart() {
    Split first =
        new Split("a", Split.By.HEADER, "x", "1", List.of("p", "q", "r"), List.of(1, 1, 9998));
    Split second = new Split("b", Split.By.HEADER, "y", "2", List.of("u", "v"), List.of(1, 9999));
    KeyGroups groups = new KeyGroups(List.of(first, second), List.of());
    assertEquals(
        List.of("", "g=a.p", "g=a.q", "g=b.u", "g=a.p;g=b.u", "g=a.q;g=b.u"), groups.texts());
    assertEquals(0, groups.of(facts(HeaderFields.EMPTY, null)));
    assertThrows(
        IllegalArgumentException.class,
        () -> new Split("a", Split.By.CLIENT, "", "", List.of("a", "b"), List.of(1, 2)));
  }
}
