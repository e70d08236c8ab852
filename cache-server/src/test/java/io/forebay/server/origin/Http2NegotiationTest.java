package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.http.UpgradeOffer;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginProtocol;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.testing.Certificates;
import io.forebay.testing.RawHttp2;
import io.forebay.testing.RawHttp2Origin;
import io.forebay.testing.ScriptedOrigin;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which version of HTTP a connection to an origin speaks. */
@Timeout(60)
@Tag("slow")
class Http2NegotiationTest {
  @TempDir static Path directory = Path.of("");
  private static Path authority = Path.of("");
  private static SSLContext keys;

  @BeforeAll
  static void writeAuthority() throws Exception {
    Certificates certificates = Certificates.in(directory);
    authority = certificates.authorityPem();
    keys = Certificates.serverContext(certificates.ecdsa("127.0.0.1", "127.0.0.1"));
  }

  private static OriginConfig speaking(RawHttp2Origin origin, OriginProtocol protocol) {
    return Lab.speaking(Lab.withTrust(Lab.origin(origin.url()), authority), protocol);
  }

  private static String head(SSLSocket socket) throws Exception {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int b = socket.getInputStream().read();
      assertTrue(b >= 0, () -> "the connection ended after " + head);
      head.append((char) b);
    }
    return head.toString();
  }

  private static void write(SSLSocket socket, String text) throws Exception {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }

  @Test
  void speaksHttp2WhereTlsNegotiatesIt() throws Exception {
    for (OriginProtocol protocol : List.of(OriginProtocol.AUTO, OriginProtocol.HTTP2)) {
      try (RawHttp2Origin origin = RawHttp2Origin.startTls(keys, "h2", "http/1.1");
          Lab lab = Lab.of(speaking(origin, protocol))) {
        List<Recorder> responses = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
          responses.add(lab.send(Lab.get("/" + i)));
        }
        RawHttp2 connection = origin.accept();
        for (int i = 0; i < 5; i++) {
          RawHttp2.Message request = connection.request();
          assertEquals("https", request.field(":scheme"));
          connection.answer(request.stream(), request.field(":path")).flush();
        }
        for (int i = 0; i < 5; i++) {
          assertEquals("/" + i, responses.get(i).body());
        }
        assertEquals(1, lab.counters().originConnectionsOpened);
      }
    }
  }

  @Test
  void speaksHttp1WhereTheOriginChoosesItAndLetsNobodyWait() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.startTls(keys, "http/1.1");
        Lab lab = Lab.of(speaking(origin, OriginProtocol.AUTO))) {
      Recorder first = lab.send(Lab.get("/1"));
      Recorder second = lab.send(Lab.get("/2"));
      try (SSLSocket one = (SSLSocket) origin.acceptSocket()) {
        assertTrue(head(one).startsWith("GET /1 HTTP/1.1\r\n"));
        try (SSLSocket two = (SSLSocket) origin.acceptSocket()) {
          assertTrue(head(two).startsWith("GET /2 HTTP/1.1\r\n"));
          write(two, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntwo");
          assertEquals("two", second.body());
        }
        write(one, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none");
        assertEquals("one", first.body());
      }
    }
  }

  @Test
  void offersNothingWithHttp1() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.startTls(keys, "h2", "http/1.1");
        Lab lab = Lab.of(speaking(origin, OriginProtocol.HTTP1))) {
      Recorder response = lab.send(Lab.get("/"));
      try (SSLSocket socket = (SSLSocket) origin.acceptSocket()) {
        assertEquals("", socket.getApplicationProtocol());
        assertTrue(head(socket).startsWith("GET / HTTP/1.1\r\n"));
        write(socket, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        assertEquals("ok", response.body());
      }
    }
  }

  @Test
  void failsWhereHttp2IsDemandedAndNotSpoken() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.startTls(keys);
        Lab lab =
            Lab.of(
                Lab.speaking(
                    Lab.withTrust(Lab.origin(origin.url()), authority), OriginProtocol.HTTP2))) {
      origin.serve(ScriptedOrigin.Connection::head);
      String detail = lab.send(Lab.get("/")).failure(Kind.CONNECT_FAILED);
      assertTrue(detail.contains("did not choose HTTP/2"), detail);
    }
  }

  @Test
  void withoutTlsAutoIsHttp1() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.speaking(Lab.origin(origin.url()), OriginProtocol.AUTO))) {
      Recorder response = lab.send(Lab.get("/"));
      ScriptedOrigin.Connection connection = origin.accept();
      assertTrue(connection.head().startsWith("GET / HTTP/1.1\r\n"));
      connection.respond("ok");
      assertEquals("ok", response.body());
    }
  }

  // Upgrades, which only HTTP/1.1 has.

  @Test
  void anUpgradeGoesOverHttp1BesideConnectionsThatAreShared() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.startTls(keys, "h2", "http/1.1");
        Lab lab = Lab.of(speaking(origin, OriginProtocol.AUTO))) {
      Recorder first = lab.send(Lab.get("/"));
      RawHttp2 connection = origin.accept();
      connection.answer(connection.request().stream(), "shared").flush();
      assertEquals("shared", first.body());
      Recorder upgraded = lab.send(upgrade());
      try (SSLSocket socket = (SSLSocket) origin.acceptSocket()) {
        assertTrue(head(socket).contains("\r\nupgrade: own\r\n"));
        write(socket, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nnot");
        assertEquals("not", upgraded.body());
      }
    }
  }

  @Test
  void anUpgradeFailsWhereOnlyHttp2IsSpoken() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab = Lab.of(speaking(origin, OriginProtocol.HTTP2))) {
      lab.send(upgrade()).failure(Kind.UPGRADE_FAILED);
      assertEquals(0, origin.accepted());
    }
  }

  private static OriginRequest upgrade() {
    UpgradeOffer offer =
        UpgradeOffer.of(
            SyntheticRequest.of("GET", "http://h/", "Connection", "upgrade", "Upgrade", "own"),
            Set.of("own"));
    return new OriginRequest(
        "GET",
        "/",
        HeaderFields.EMPTY,
        RequestBody.NONE,
        new OriginRequest.Hop(offer, false, false));
  }
}
