package io.forebay.core.key;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.RequestView;
import io.forebay.core.http.SyntheticRequest;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class UnkeyedFieldsTest {

  /** Whether it is dropped where it may be looked up, where a GET is passed, and a POST. */
  @ParameterizedTest
  @CsvSource({
    "x-original-url, true, true, true",
    "x-rewrite-url, true, true, true",
    "x-original-host, true, true, true",
    "x-host, true, true, true",
    "x-forwarded, true, true, true",
    "x-forwarded-scheme, true, true, true",
    "x-forwarded-port, true, true, true",
    "x-forwarded-prefix, true, true, true",
    "x-forwarded-server, true, true, true",
    "x-forwarded-path, true, true, true",
    "x-forwarded-ssl, true, true, true",
    "forwarded-proto, true, true, true",
    "x-http-destinationurl, true, true, true",
    "x-http-host-override, true, true, true",
    "x-middleware-subrequest, true, true, true",
    "front-end-https, true, true, true",
    "proxy, true, true, true",
    "forebay-device, true, true, true",
    "x-http-method-override, true, true, false",
    "x-http-method, true, true, false",
    "x-method-override, true, true, false",
    "x-real-ip, true, false, false",
    "true-client-ip, true, false, false",
    "x-forwarded-for, false, false, false",
    "x-forwarded-proto, false, false, false",
    "x-forwarded-host, false, false, false",
    "forwarded, false, false, false",
    "client-cert, false, false, false",
    "x-requested-with, false, false, false",
    "x-request-id, false, false, false",
    "x-api-key, false, false, false",
    "accept, false, false, false",
    "host, false, false, false",
    "cookie, false, false, false",
    "x_forwarded_for, true, true, true",
    "client_cert, true, true, true",
    "client.cert, true, true, true",
    "x_anything, true, true, true",
    "content_length, true, true, true",
    "x!, true, true, true"
  })
  void dropsByDefault(String name, boolean lookedUp, boolean passedGet, boolean passedPost) {
    UnkeyedFields fields = UnkeyedFields.DEFAULT;
    assertEquals(lookedUp, fields.drops(name));
    assertEquals(passedGet, fields.dropsPassed("GET", name));
    assertEquals(passedPost, fields.dropsPassed("POST", name));
  }

  @Test
  void aRouteAddsAndLetsThrough() {
    UnkeyedFields fields =
        new UnkeyedFields(
            List.of("x-debug-*", "x-http-method"),
            List.of("x-forwarded-port", "x_trace", "x-env*"));
    assertTrue(fields.drops("x-debug-sql") && fields.dropsPassed("POST", "x-debug-sql"));
    assertTrue(fields.dropsPassed("POST", "x-http-method"));
    assertFalse(fields.dropsPassed("POST", "x-http-method-override"));
    assertFalse(fields.drops("x-forwarded-port") || fields.dropsPassed("GET", "x-forwarded-port"));
    assertFalse(fields.drops("x-envoy-original-path"));
    assertFalse(fields.drops("x_trace") || fields.dropsPassed("GET", "x_trace"));
    // What passes under its own name does not under one that CGI takes for it.
    assertTrue(fields.drops("x_forwarded_port"));
    assertTrue(fields.drops("x_traces"));
  }

  /** A pattern never lets a name through that is not made of letters, digits and hyphens. */
  @Test
  void aPatternLetsNoDisguiseThrough() {
    UnkeyedFields fields = new UnkeyedFields(List.of(), List.of("*"));
    assertFalse(fields.drops("x-original-url"));
    assertTrue(fields.drops("x_original_url") && fields.drops("client_cert"));
    assertTrue(fields.dropsPassed("POST", "client_cert"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "client_cert",
        "client.cert",
        "x_forwarded_for",
        "x-forwarded_for",
        "content_length",
        "if_none_match",
        "cdn_loop",
        "x_original_url",
        "x_real_ip"
      })
  void aDisguiseCannotBeLetThrough(String name) {
    assertThrows(IllegalArgumentException.class, () -> new UnkeyedFields(List.of(), List.of(name)));
    assertThrows(IllegalArgumentException.class, () -> recipe(List.of(name), List.of()));
  }

  /** A name that the route drops itself cannot come back in disguise either. */
  @Test
  void aDisguiseOfWhatTheRouteDropsIsDropped() {
    UnkeyedFields fields = new UnkeyedFields(List.of("x-debug"), List.of("x_debug"));
    assertTrue(fields.drops("x_debug") && fields.dropsPassed("GET", "x_debug"));
  }

  private static FieldRecipe recipe(List<String> headers, List<String> pass) {
    return new FieldRecipe(
        headers,
        List.of(),
        false,
        List.of(),
        List.of(),
        new UnkeyedFields(List.of("x-debug"), pass));
  }

  @Test
  void aFillHasNothingThatIsNotInTheKey() {
    RequestView request =
        SyntheticRequest.of(
            "GET",
            "http://h/",
            "X-Original-URL",
            "/admin",
            "X-Forwarded-Port",
            "1",
            "X-Forwarded-Prefix",
            "/p",
            "X-Forwarded-For",
            "192.0.2.1",
            "X-Debug",
            "1",
            "X_Odd",
            "1",
            "Accept",
            "*/*");
    FieldRecipe fields = recipe(List.of("x-forwarded-port"), List.of("x-forwarded-prefix"));
    KeyRecipe recipe = new KeyRecipe(UrlRecipe.WHOLE, fields);
    assertEquals(
        "x-forwarded-prefix: /p\nx-forwarded-for: 192.0.2.1\naccept: */*\nx-forwarded-port: 1\n",
        CanonicalRequest.of(request, "GET", recipe).fields().toString());
    // What the origin does not get selects nothing; what is let through does.
    assertTrue(fields.maps("x-original-url") && fields.maps("x-forwarded-port"));
    assertFalse(fields.maps("x-forwarded-prefix") || fields.maps("accept"));
  }
}
