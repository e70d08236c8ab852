package io.forebay.server.origin.call;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.server.origin.call.OriginFailure.Kind;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The error type of each failure in Proxy-Status (RFC 9209 §2.3). */
final class OriginFailureTest {

  private static final String TABLE =
      """
      UNKNOWN_ORIGIN         | proxy_configuration_error         | false
      NAME_NOT_RESOLVED      | dns_error                         | false
      NAME_TIMEOUT           | dns_timeout                       | true
      ADDRESS_REFUSED        | destination_ip_prohibited         | false
      OVERLOADED             | connection_limit_reached          | false
      TOO_MANY_CONNECTIONS   | connection_limit_reached          | false
      TOO_MANY_REQUESTS      | connection_limit_reached          | false
      CLIENT_LIMIT           | http_request_denied               | false
      FETCH_LIMIT            | connection_limit_reached          | false
      CONNECT_REFUSED        | connection_refused                | false
      CONNECT_UNROUTABLE     | destination_ip_unroutable         | false
      CONNECT_FAILED         | destination_unavailable           | false
      CONNECT_TIMEOUT        | connection_timeout                | true
      TLS_CERTIFICATE        | tls_certificate_error             | false
      TLS_FAILED             | tls_protocol_error                | false
      TARGET_REFUSED         | http_request_error                | false
      REQUEST_BODY_FAILED    | http_request_error                | false
      WRITE_TIMEOUT          | connection_write_timeout          | true
      FIRST_BYTE_TIMEOUT     | http_response_timeout             | true
      HEAD_TIMEOUT           | connection_read_timeout           | true
      CLOSED_BEFORE_RESPONSE | connection_terminated             | false
      INVALID_RESPONSE       | http_protocol_error               | false
      FIELDS_TOO_LARGE       | http_response_header_section_size | false
      UPGRADE_FAILED         | http_upgrade_failed               | false
      SERVER_ERROR           | destination_unavailable           | false
      IDLE_TIMEOUT           | connection_read_timeout           | true
      TOTAL_TIMEOUT          | http_response_timeout             | true
      TRUNCATED              | http_response_incomplete          | false
      DEFECT                 | proxy_internal_error              | false
      """;

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = TABLE)
  void hasARegisteredType(Kind kind, String type, boolean isTimeout) {
    assertEquals(type, kind.error().type());
    assertEquals(isTimeout, kind.isTimeout());
  }

  @Test
  void noKindIsMissingAbove() {
    Set<Kind> named =
        Arrays.stream(TABLE.split("\n", -1))
            .filter(line -> !line.isBlank())
            .map(line -> Kind.valueOf(line.split("\\|", 2)[0].strip()))
            .collect(Collectors.toSet());
    assertEquals(EnumSet.allOf(Kind.class), named);
  }
}
