package io.forebay.core.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** RFC 9209 §2. */
final class ProxyStatusTest {

  /** RFC 8941 §3.3.3, §3.3.4. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          forebay-1f | forebay-1f
          a.b:80/c   | a.b:80/c
          *          | *
          1st        | "1st"
          a b        | "a b"
          a"b\\c     | "a\\"b\\\\c"
          """)
  void theNameIsATokenOrAString(String node, String name) {
    assertEquals(
        name + "; error=dns_error",
        new ProxyStatus(node).error(ProxyError.DNS_ERROR, ProxyStatus.NO_MORE));
  }

  @Test
  void tellsWhatTheNextHopAndTheNameServerSaid() {
    ProxyStatus edge = new ProxyStatus("edge");
    assertEquals(
        "edge; error=destination_unavailable; received-status=503",
        edge.error(ProxyError.DESTINATION_UNAVAILABLE, ProxyStatus.receivedStatus(503)));
    assertEquals(
        "edge; error=dns_error; rcode=\"NXDOMAIN\"",
        edge.error(ProxyError.DNS_ERROR, ProxyStatus.rcode("NXDOMAIN")));
  }

  @Test
  void otherNamesCannotBeWritten() {
    assertThrows(IllegalArgumentException.class, () -> new ProxyStatus("a\nb"));
  }
}
