package io.forebay.server.tls.acme;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Optional;
import javax.net.ssl.SSLSession;

/** A response that has arrived whole, in the form that acme4j reads. */
record BufferedResponse(HttpResponse<byte[]> whole) implements HttpResponse<InputStream> {

  @Override
  public int statusCode() {
    return whole.statusCode();
  }

  @Override
  public HttpRequest request() {
    return whole.request();
  }

  @Override
  public Optional<HttpResponse<InputStream>> previousResponse() {
    return Optional.empty();
  }

  @Override
  public HttpHeaders headers() {
    return whole.headers();
  }

  @Override
  public InputStream body() {
    return new ByteArrayInputStream(whole.body());
  }

  @Override
  public Optional<SSLSession> sslSession() {
    return whole.sslSession();
  }

  @Override
  public URI uri() {
    return whole.uri();
  }

  @Override
  public HttpClient.Version version() {
    return whole.version();
  }
}
