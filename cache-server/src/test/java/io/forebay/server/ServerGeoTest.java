package io.forebay.server;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.ProtocolClient.Answer;
import io.forebay.server.geo.MmdbWriter;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules by country and AS number, over sockets. */
@Timeout(240)
@Tag("slow")
final class ServerGeoTest {
  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private @Nullable Edge edge;

  @BeforeEach
  void serve() throws IOException {
    origin.on("/a", TestOrigin.ok("cache-control: max-age=1000\r\n", TestOrigin.ascii("a")));
    countries("DE");
    new MmdbWriter("GeoLite2-ASN")
        .asn("192.0.2.0/24", 64500)
        .asn("2001:db8:1::/48", 64501)
        .write(directory.resolve("asn.mmdb"));
  }

  private void countries(String ofLoopback) throws IOException {
    new MmdbWriter("GeoLite2-Country")
        .country("127.0.0.0/8", ofLoopback)
        .country("192.0.2.0/24", "DE")
        .country("198.51.100.0/24", "NO")
        .country("2001:db8::/32", "FR")
        .write(directory.resolve("country.mmdb"));
  }

  private void start(String more) throws IOException {
    edge =
        Edge.start(
            directory,
            "32MiB",
            Edge.origins(origin.url())
                + "http3: {listeners: [secure]}\n"
                + more
                + "geo: {country-file: \"DIR/country.mmdb\", asn-file: \"DIR/asn.mmdb\"}\n"
                    .replace("DIR", directory.toString())
                + "matchers: {hosters: {asn: [AS64500, 64501]}}\n"
                + "routes:\n"
                + "  - rules:\n"
                + "      - when: {matches: hosters}\n"
                + "        deny: 451\n"
                + "      - when: {country: [DE, NO]}\n"
                + "        response-headers: {set: {x-place: north}}\n"
                + "      - when: {not: {country: [DE, NO, FR]}}\n"
                + "        response-headers: {set: {x-place: elsewhere}}\n");
  }

  @AfterEach
  void stop() throws IOException {
    edge().close();
    origin.close();
  }

  private Edge edge() {
    return requireNonNull(edge);
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.7,451,",
    "2001:db8:1::7,451,",
    "198.51.100.7,200,north",
    "2001:db8:2::7,200,",
    "203.0.113.7,200,elsewhere",
    "no address,200,elsewhere"
  })
  void clientsBehindATrustedProxyAreWhereTheirAddressIs(
      String address, int status, @Nullable String place) throws Exception {
    start("forwarding: {node-id: edge, trusted: 127.0.0.0/8}\n");
    try (RawClient client = edge().connect()) {
      for (int i = 0; i < 3; i++) {
        Response reply = client.get("/a", "X-Forwarded-For: " + address);
        assertEquals(status, reply.status());
        if (status == 200) {
          assertEquals(place == null ? "" : place, reply.field("x-place"));
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void allProtocolsAndKindsOfAnswersKnowThePlace(String protocol) throws Exception {
    start("");
    try (ProtocolClient client = ProtocolClient.connect(edge(), protocol)) {
      for (int i = 0; i < 3; i++) {
        Answer answer = client.ask("GET", "/a");
        assertEquals(200, answer.status());
        assertEquals(List.of("north"), answer.all("x-place"));
      }
    }
  }

  @Test
  void hitsStayInTheFastLaneOnceTheAddressWasLookedUp() throws Exception {
    start("");
    try (RawClient client = edge().connect()) {
      for (int i = 0; i < 3; i++) {
        assertEquals("north", client.get("/a").field("x-place"));
        edge().awaitIdle();
      }
      long before = edge().sum(c -> c.fastHits);
      for (int i = 0; i < 10; i++) {
        assertEquals("north", client.get("/a").field("x-place"));
      }
      edge().awaitSum(before + 10, c -> c.fastHits);
    }
  }

  @Test
  void aReloadReadsTheFileAndABrokenOneLeavesTheLast() throws Exception {
    start("");
    try (RawClient client = edge().connect()) {
      assertEquals("north", client.get("/a").field("x-place"));
      assertEquals(List.of(), edge().server().reload().changed());
      countries("FR");
      assertEquals(List.of("geo.country-file"), edge().server().reload().changed());
      assertEquals("", client.get("/a").field("x-place"));
      for (String broken : List.of("", "no database")) {
        Files.writeString(directory.resolve("country.mmdb"), broken);
        String errors = edge().server().reload().errors().toString();
        assertTrue(errors.contains("country.mmdb is not an MMDB file"), errors);
        assertEquals("", client.get("/a").field("x-place"));
      }
      Files.delete(directory.resolve("country.mmdb"));
      String errors = edge().server().reload().errors().toString();
      assertTrue(errors.contains("is not a file that can be read"), errors);
      assertEquals("", client.get("/a").field("x-place"));
      countries("NO");
      assertEquals(List.of("geo.country-file"), edge().server().reload().changed());
      assertEquals("north", client.get("/a").field("x-place"));
    }
  }
}
