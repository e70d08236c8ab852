package io.forebay.core.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which requests the parser of the fast lane accepts, and how it presents them. */
final class WireRequestTest {

  private static final String BROWSER =
      """
      GET /a/b;c?x=%zz&y=/../ HTTP/1.1
      Host: WWW.Example.COM:80
      Connection: Keep-Alive
      sec-ch-ua: "Chromium";v="140", "Not=A?Brand";v="24"
      sec-ch-ua-mobile: ?0
      sec-ch-ua-platform: "Linux"
      Upgrade-Insecure-Requests: 1
      User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36
      Accept: text/html,application/xhtml+xml,*/*;q=0.8
      Sec-Fetch-Site: none
      Sec-Fetch-Mode: navigate
      Sec-Fetch-User: ?1
      Sec-Fetch-Dest: document
      Accept-Encoding: gzip, deflate,\tbr
      Accept-Language:de-CH
      Cookie: a=1; b="2"
      COOKIE:   c=3\t\s
      Cache-Control: max-age=0

      """;

  private final WireRequest request = new WireRequest("http");

  private static byte[] bytes(String text) {
    return text.replace("\n", "\r\n").getBytes(StandardCharsets.ISO_8859_1);
  }

  private int read(byte[] bytes) {
    return request.read(bytes, 0, bytes.length, 8192, 100);
  }

  /** Reads text whose lines end in LF here and in CRLF on the wire. */
  private boolean isRead(String text) {
    byte[] bytes = bytes(text);
    return read(bytes) == bytes.length;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Accept-Encoding: br\n",
        "Accept: a\nAccept-Encoding: br\nDNT: 1\n",
        "ACCEPT-ENCODING: br\nDNT: 1\naccept-encoding: gzip\nAccept-Encoding:\n",
      })
  void linesOfAcceptEncodingAreFoundWithoutASearch(String lines) {
    for (String before : List.of("", "Accept-Encoding: zstd\nAccept-Encoding: x\n")) {
      // Nothing is left of the request before.
      assertTrue(isRead("GET / HTTP/1.1\n" + before + "Host: a\n\n"));
      assertTrue(isRead("GET / HTTP/1.1\nHost: a\n" + lines + "\n"));
      List<String> found = new ArrayList<>();
      Latin1Text value = new Latin1Text();
      int next = request.nextAcceptEncoding(WireRequest.FIRST_FIELD, value);
      while (next >= 0) {
        found.add(value.toString());
        next = request.nextAcceptEncoding(next, value);
      }
      assertEquals(request.all("accept-encoding"), found);
    }
  }

  @Test
  void readsWhatABrowserSends() {
    assertTrue(isRead(BROWSER));
    assertEquals("GET", request.method());
    assertEquals("http", request.scheme());
    assertEquals("www.example.com", request.authority());
    assertEquals("/a/b;c", request.path());
    assertEquals("/a/b;c", request.pathText().toString());
    assertEquals("x=%zz&y=/../", request.query());
    assertEquals("x=%zz&y=/../", String.valueOf(request.queryText()));
    assertFalse(request.hasBody());
    assertEquals("de-CH", String.valueOf(request.first("accept-language")));
    assertEquals(List.of("a=1; b=\"2\"", "c=3"), request.all("cookie"));
    assertNull(request.first("range"));
    assertTrue(request.has(KnownField.COOKIE));
    assertTrue(request.has(KnownField.CACHE_CONTROL));
    assertTrue(request.has(KnownField.ACCEPT_ENCODING));
    assertFalse(request.has(KnownField.RANGE));
    List<String> names = new ArrayList<>();
    request.forEach((name, value) -> names.add(name + "=" + value));
    assertEquals(17, names.size());
    assertEquals("Connection=Keep-Alive", names.get(1));
    assertEquals("COOKIE=c=3", names.get(15));
  }

  @Test
  void readsOneHeadAfterTheOther() {
    byte[] bytes = bytes("GET /1 HTTP/1.1\nHost: a\n\nHEAD /2?q HTTP/1.1\nHost: b\n\nGET");
    int first = read(bytes);
    assertEquals("/1", request.path());
    assertNull(request.query());
    int second = request.read(bytes, first, bytes.length, 8192, 100);
    assertEquals("HEAD", request.method());
    assertEquals("b", request.authority());
    assertEquals("q", request.query());
    assertEquals(bytes.length - 3, second);
    assertEquals(WireRequest.NOT_READ, request.read(bytes, second, bytes.length, 8192, 100));
  }

  @Test
  void readsNoHeadThatIsNotWhole() {
    byte[] bytes = bytes(BROWSER);
    for (int end = 0; end < bytes.length; end++) {
      assertEquals(WireRequest.NOT_READ, request.read(bytes, 0, end, 8192, 100), "up to " + end);
    }
  }

  @Test
  void keepsToTheBounds() {
    byte[] bytes = bytes("GET /12345 HTTP/1.1\nHost: a\nAccept: b\n\n");
    assertEquals(bytes.length, request.read(bytes, 0, bytes.length, 6, 2));
    assertEquals(WireRequest.NOT_READ, request.read(bytes, 0, bytes.length, 5, 2));
    assertEquals(WireRequest.NOT_READ, request.read(bytes, 0, bytes.length, 6, 1));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/a",
        "//",
        "/a//b",
        "/a.b",
        "/a/b.",
        "/%20",
        "/%C3%BC",
        "/a?",
        "/?",
        "/?%",
        "/!$&'()*+,;=:@",
      })
  void takesTargetsInNormalFormAsTheyStand(String target) {
    assertTrue(isRead("GET " + target + " HTTP/1.1\nHost: a\n\n"), target);
    assertEquals(
        new TargetNormalizer.Accepted(null, null, request.path(), request.query()),
        TargetNormalizer.normalize(target, "GET"));
    assertEquals(target, request.path() + (request.query() == null ? "" : "?" + request.query()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/.", "/..", "/./a", "/a/../b", "/.well-known/x", "/%2e", "/%7E", "/%c3", "/%", "/%2",
            "/%zz",
        "/\\", "/a|b", "/a{b", "/a#b", "/a?b#c", "/\"", "/\u00e4", "/a?\u00e4", "*", "a",
            "http://a/",
        "/a\tb", "/a?\u0001", "/\u007f",
      })
  void leavesEveryOtherTargetToOthers(String target) {
    assertFalse(isRead("GET " + target + " HTTP/1.1\nHost: a\n\n"), target);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "POST / HTTP/1.1\nHost: a\n\n",
        "get / HTTP/1.1\nHost: a\n\n",
        "GET  / HTTP/1.1\nHost: a\n\n",
        "GET /  HTTP/1.1\nHost: a\n\n",
        "GET / HTTP/1.0\nHost: a\n\n",
        "GET / HTTP/1.2\nHost: a\n\n",
        "GET / HTTP/1.1 \nHost: a\n\n",
        "\nGET / HTTP/1.1\nHost: a\n\n",
        "GET / HTTP/1.1\n\n",
        "GET / HTTP/1.1\nHost:\n\n",
        "GET / HTTP/1.1\nHost: a b\n\n",
        "GET / HTTP/1.1\nHost: a\nHost: a\n\n",
        "GET / HTTP/1.1\nHost : a\n\n",
        "GET / HTTP/1.1\n Host: a\n\n",
        "GET / HTTP/1.1\nHost: a\n folded\n\n",
        "GET / HTTP/1.1\nHost: a\nAccept\n\n",
        "GET / HTTP/1.1\nHost: a\n: b\n\n",
        "GET / HTTP/1.1\nHost: a\nX-Other: b\n\n",
        "GET / HTTP/1.1\nHost: a\nConnection: close\n\n",
        "GET / HTTP/1.1\nHost: a\nConnection: keep-alive, accept\n\n",
        "GET / HTTP/1.1\nHost: a\nContent-Length: 0\n\n",
        "GET / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n",
        "GET / HTTP/1.1\nHost: a\nRange: bytes=0-\n\n",
        "GET / HTTP/1.1\nHost: a\nIf-None-Match: *\n\n",
        "GET / HTTP/1.1\nHost: a\nAuthorization: x\n\n",
        "GET / HTTP/1.1\nHost: a\nCDN-Loop: x\n\n",
        "GET / HTTP/1.1\nHost: a\nUpgrade: websocket\n\n",
        "GET / HTTP/1.1\nHost: a\nAccept: \u00e4\n\n",
        "GET / HTTP/1.1\nHost: a\nAccept: b\u0000\n\n",
        "GET / HTTP/1.1\nHost: a\nAccept: 12345678\u007f12345678\n\n",
      })
  void leavesEveryOtherHeadToOthers(String head) {
    assertFalse(isRead(head), head);
  }

  @Test
  void aLoneLineFeedEndsNoLine() {
    byte[] sound = bytes("GET / HTTP/1.1\nHost: a\nAccept: b\n\n");
    for (int i = 0; i < sound.length; i++) {
      if (sound[i] == '\r') {
        byte[] bytes = new byte[sound.length - 1];
        System.arraycopy(sound, 0, bytes, 0, i);
        System.arraycopy(sound, i + 1, bytes, i, bytes.length - i);
        assertEquals(WireRequest.NOT_READ, read(bytes), "without the CR at " + i);
      }
    }
  }
}
