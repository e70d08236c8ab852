package io.forebay.server.compress.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.http.TargetUri;
import io.forebay.core.policy.ResponsePolicy;
import io.forebay.core.policy.StoreVerdict;
import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.server.compress.CompressionSettings;
import io.forebay.server.compress.ContentCoding;
import io.forebay.server.compress.copy.Representation.Coded;
import io.forebay.server.compress.copy.Representation.Confirmed;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Weights select the coding, unless a condition or a range is about another representation. */
final class RepresentationTest {
  private static final Representation BR = new Coded(ContentCoding.BR);
  private static final Representation GZIP = new Coded(ContentCoding.GZIP);
  private static final TargetUri URI = new TargetUri("http", "example.com", "/", null);

  private static StoredMeta stored(String... fields) {
    List<String> all = new ArrayList<>(List.of("cache-control", "max-age=100"));
    all.addAll(List.of(fields));
    HeaderFields response = HeaderFields.of(all.toArray(String[]::new));
    StoreVerdict verdict =
        ResponsePolicy.judge(
            SyntheticRequest.of("GET", URI, HeaderFields.of()),
            Route.toOrigin("main"),
            200,
            response,
            0,
            0);
    return StoredMeta.of(((StoreVerdict.Store) verdict).meta());
  }

  private static Representation of(StoredMeta source, String method, String... fields) {
    return Representation.of(
        SyntheticRequest.of(method, URI, HeaderFields.of(fields)),
        source,
        CompressionSettings.DEFAULT);
  }

  private static Representation of(String... fields) {
    return of(stored("etag", "\"1\""), "GET", fields);
  }

  @Test
  void theCodingOfMostWeightIsSelected() {
    assertEquals(Representation.IDENTITY, of());
    assertEquals(BR, of("accept-encoding", "gzip, br, zstd"));
    assertEquals(GZIP, of("accept-encoding", "gzip, br;q=0.5"));
    assertEquals(Representation.IDENTITY, of("accept-encoding", "identity, br;q=0.5"));
    assertEquals(Representation.IDENTITY, of("accept-encoding", "br;q=0"));
    assertEquals(
        Representation.IDENTITY,
        of("accept-encoding", "br", "cache-control", "max-age=0, no-transform"));
    assertEquals(BR, of(stored("etag", "\"1\""), "HEAD", "accept-encoding", "br"));
    assertEquals(BR, of(stored(), "GET", "accept-encoding", "br"));
  }

  @Test
  void aTagOfAnyRepresentationThatTheClientTakesConfirmsIt() {
    String both = "gzip, br";
    assertEquals(
        new Confirmed("\"1-gzip9.1\""),
        of("accept-encoding", both, "if-none-match", "\"0\", \"1-gzip9.1\""));
    assertEquals(
        new Confirmed("\"1-br4.1\""),
        of("accept-encoding", both, "if-none-match", "W/\"1-br4.1\""));
    assertEquals(
        new Confirmed("W/\"1-br4.1\""),
        of(
            stored("etag", "W/\"1\""),
            "GET",
            "accept-encoding",
            both,
            "if-none-match",
            "\"1-br4.1\""));
    assertEquals(
        Representation.IDENTITY,
        of("accept-encoding", both, "if-none-match", "\"1-gzip9.1\", \"1\""));
    assertEquals(Representation.IDENTITY, of("accept-encoding", both, "if-none-match", "*"));
    // Of another body, and of a coding that is not accepted.
    assertEquals(BR, of("accept-encoding", both, "if-none-match", "\"2-gzip9.1\""));
    assertEquals(BR, of("accept-encoding", "br", "if-none-match", "\"1-gzip9.1\""));
    assertEquals(BR, of("accept-encoding", both, "if-none-match", "\"1-gzip9.1"));
  }

  @Test
  void aRangeIsOfIdentityUnlessIfRangeNamesACopy() {
    assertEquals(Representation.IDENTITY, of("accept-encoding", "br", "range", "bytes=0-1"));
    assertEquals(
        Representation.IDENTITY,
        of("accept-encoding", "br", "range", "bytes=0-1", "if-range", "\"1\""));
    assertEquals(
        GZIP, of("accept-encoding", "br, gzip", "range", "bytes=0-1", "if-range", "\"1-gzip9.1\""));
    // What they name is not there: the whole, in the coding that is preferred.
    assertEquals(BR, of("accept-encoding", "br", "range", "bytes=0-1", "if-range", "\"2\""));
    assertEquals(
        BR, of("accept-encoding", "br", "range", "bytes=0-1", "if-range", "\"1-gzip9.1\""));
    assertEquals(
        BR,
        of(
            "accept-encoding",
            "br",
            "range",
            "bytes=0-1",
            "if-range",
            "Thu, 01 Jan 2026 00:00:00 GMT"));
    assertEquals(
        Representation.IDENTITY,
        of(stored(), "GET", "accept-encoding", "br", "range", "bytes=0-1"));
  }

  @Test
  void ifMatchSelectsWhatItNames() {
    assertEquals(Representation.IDENTITY, of("accept-encoding", "br", "if-match", "\"1\""));
    assertEquals(GZIP, of("accept-encoding", "br, gzip", "if-match", "\"0\", \"1-gzip9.1\""));
    assertEquals(Representation.IDENTITY, of("accept-encoding", "br", "if-match", "\"1-gzip9.1\""));
  }
}
