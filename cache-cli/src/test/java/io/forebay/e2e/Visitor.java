package io.forebay.e2e;

import io.forebay.testing.EdgeProcess;
import java.io.IOException;
import java.net.CookieManager;
import java.net.CookiePolicy;
import java.net.HttpCookie;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assertions;

/** Somebody who visits a site through an edge, with cookies of his own; follows no redirects. */
final class Visitor implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final EdgeProcess edge;
  private final CookieManager cookies = new CookieManager(null, CookiePolicy.ACCEPT_ALL);
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .cookieHandler(cookies)
          .build();

  Visitor(EdgeProcess edge) {
    this.edge = edge;
  }

  /** What came back, and when it was asked for. */
  record Page(int status, String cacheStatus, String cacheControl, String text, long askedNanos) {
    boolean isHit() {
      return cacheStatus.contains("; hit");
    }

    Page assertOk() {
      Assertions.assertEquals(200, status, this::toString);
      return this;
    }

    Page assertHit() {
      Assertions.assertTrue(isHit(), this::toString);
      return this;
    }

    /** The origin made it, and it was not kept. */
    Page assertOwn() {
      Assertions.assertFalse(isHit(), this::toString);
      Assertions.assertFalse(cacheStatus.contains("; stored"), this::toString);
      return this;
    }

    /** The origin made it, and it was kept. */
    Page assertStored() {
      Assertions.assertFalse(isHit(), this::toString);
      Assertions.assertTrue(cacheStatus.contains("; stored"), this::toString);
      return this;
    }

    Page assertHas(String part) {
      Assertions.assertTrue(text.contains(part), () -> "no " + part + " in " + this);
      return this;
    }

    Page assertHasNot(String part) {
      Assertions.assertFalse(text.contains(part), () -> part + " in " + this);
      return this;
    }
  }

  /** Has a cookie for the whole site from now on, as from a script on the page. */
  Visitor with(String name, String value) {
    HttpCookie cookie = new HttpCookie(name, value);
    cookie.setPath("/");
    cookie.setVersion(0);
    cookies.getCookieStore().add(URI.create(edge.url("/")), cookie);
    return this;
  }

  List<String> cookieNames() {
    return cookies.getCookieStore().getCookies().stream().map(HttpCookie::getName).toList();
  }

  /** The cookie's value, or empty. */
  String cookie(String name) {
    return cookies.getCookieStore().getCookies().stream()
        .filter(cookie -> cookie.getName().equals(name))
        .map(HttpCookie::getValue)
        .findFirst()
        .orElse("");
  }

  Page get(String target) throws IOException, InterruptedException {
    return send(request(target).build());
  }

  Page post(String target, Map<String, String> form) throws IOException, InterruptedException {
    String body =
        form.entrySet().stream()
            .map(field -> encoded(field.getKey()) + "=" + encoded(field.getValue()))
            .collect(Collectors.joining("&"));
    return send(
        request(target)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build());
  }

  private HttpRequest.Builder request(String target) {
    return HttpRequest.newBuilder(URI.create(edge.url(target))).timeout(LIMIT);
  }

  private Page send(HttpRequest request) throws IOException, InterruptedException {
    long asked = System.nanoTime();
    HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
    return new Page(
        response.statusCode(),
        String.join(", ", response.headers().allValues("Cache-Status")),
        String.join(", ", response.headers().allValues("Cache-Control")),
        response.body(),
        asked);
  }

  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    http.close();
  }
}
