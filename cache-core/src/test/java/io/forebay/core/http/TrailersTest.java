package io.forebay.core.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 9110 §6.5. */
final class TrailersTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        // Framing, routing, the connection.
        "Transfer-Encoding",
        "Content-Length",
        "Trailer",
        "TE",
        "Connection",
        "Host",
        "Upgrade",
        "Via",
        "Forwarded",
        "X-Forwarded-For",
        "CDN-Loop",
        "Max-Forwards",
        "Keep-Alive",
        // Request modifiers and authentication.
        "Range",
        "If-Match",
        "If-None-Match",
        "Expect",
        "Cookie",
        "Authorization",
        "Set-Cookie",
        "WWW-Authenticate",
        "Proxy-Authenticate",
        "Proxy-Authorization",
        "Authentication-Info",
        // What a response is judged and kept by.
        "Cache-Control",
        "CDN-Cache-Control",
        "Forebay-Cache-Control",
        "Surrogate-Control",
        "Surrogate-Key",
        "Cache-Status",
        "Pragma",
        "Vary",
        "Age",
        "Date",
        "Expires",
        "Location",
        "Retry-After",
        "Last-Modified",
        "No-Vary-Search",
        "Cache-Groups",
        "Clear-Site-Data",
        "Access-Control-Allow-Origin",
        // How the content is to be processed.
        "Content-Encoding",
        "Content-Type",
        "Content-Range",
        "Content-Location",
        // No name at all.
        "",
        "a b",
        "a:"
      })
  void whatAMessageGoesByCannotFollowItsBody(String name) {
    assertFalse(Trailers.mayBeTrailer(name));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Server-Timing",
        "ETag",
        "Content-Digest",
        "Repr-Digest",
        "Grpc-Status",
        "X-Checksum",
        "Proxy-Status"
      })
  void othersCan(String name) {
    assertTrue(Trailers.mayBeTrailer(name));
  }

  @Test
  void onlyWhatIsAllowedIsLeft() {
    HeaderFields came = HeaderFields.of("a", "1", "set-cookie", "x=y", "b", "2", "a", "3");
    HeaderFields left = Trailers.allowed(came, Set.of("a"));
    assertEquals("a: 1\na: 3\n", left.toString());
    assertEquals(0, Trailers.allowed(came, Set.of()).size());
    assertEquals("a, b", Trailers.announced(List.of("A , c", ",b"), Set.of("a", "b")));
    assertEquals("", Trailers.announced(List.of("c"), Set.of("a")));
  }

  /** RFC 9110 §10.1.4. */
  @Test
  void aClientSaysWhetherItTakesThem() {
    assertTrue(Trailers.areAccepted(List.of("trailers")));
    assertTrue(Trailers.areAccepted(List.of("gzip;q=0.5", "deflate, Trailers")));
    assertFalse(Trailers.areAccepted(List.of()));
    assertFalse(Trailers.areAccepted(List.of("trailersx, gzip")));
  }
}
