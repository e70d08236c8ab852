package io.forebay.plugin.test;

import io.forebay.plugin.ClientRequest;
import io.forebay.plugin.FieldEdits;
import io.forebay.plugin.Fields;
import io.forebay.plugin.OriginRequest;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A request made by hand, of a client at 192.0.2.1 over HTTP/1.1, or TLS 1.3 for {@code https}.
 *
 * @param group of a request to an origin
 */
public record TestRequest(
    String method,
    String scheme,
    String authority,
    String path,
    Optional<String> query,
    List<FieldEdits.Line> lines,
    String route,
    String clientAddress,
    Instant time,
    String group)
    implements ClientRequest, OriginRequest {

  public TestRequest {
    lines = List.copyOf(lines);
  }

  /** A GET for an absolute URL. */
  public static TestRequest get(String url) {
    return of("GET", url);
  }

  /** A request for an absolute URL. */
  public static TestRequest of(String method, String url) {
    URI uri = URI.create(url);
    return new TestRequest(
        method,
        uri.getScheme().toLowerCase(Locale.ROOT),
        uri.getRawAuthority().toLowerCase(Locale.ROOT),
        uri.getRawPath().isEmpty() ? "/" : uri.getRawPath(),
        Optional.ofNullable(uri.getRawQuery()),
        List.of(),
        "route-1",
        "192.0.2.1",
        Instant.EPOCH,
        "");
  }

  /** The same with one more field line. */
  public TestRequest with(String name, String value) {
    List<FieldEdits.Line> more = new ArrayList<>(lines);
    more.add(new FieldEdits.Line(name, value));
    return new TestRequest(
        method, scheme, authority, path, query, more, route, clientAddress, time, group);
  }

  /** The same at another time. */
  public TestRequest at(Instant when) {
    return new TestRequest(
        method, scheme, authority, path, query, lines, route, clientAddress, when, group);
  }

  /** The same of another client. */
  public TestRequest from(String address) {
    return new TestRequest(
        method, scheme, authority, path, query, lines, route, address, time, group);
  }

  /** The same to an origin. */
  public TestRequest inGroup(String name) {
    return new TestRequest(
        method, scheme, authority, path, query, lines, route, clientAddress, time, name);
  }

  @Override
  public Fields fields() {
    return TestResponse.fields(lines);
  }

  @Override
  public String listener() {
    return "plain";
  }

  @Override
  public String protocol() {
    return "HTTP/1.1";
  }

  @Override
  public Optional<String> tlsVersion() {
    return scheme.equals("https") ? Optional.of("TLSv1.3") : Optional.empty();
  }

  @Override
  public Optional<String> tlsServerName() {
    return Optional.empty();
  }
}
