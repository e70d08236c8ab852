package io.forebay.cli.bundle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.cli.console.Output;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

final class RedactorTest {
  private static final Redactor NOTHING_KNOWN = new Redactor(List.of());

  /** What is between the signs must not be there afterwards. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "origin https://user:«pa%2Fss:w@rd1»@origin.example/ failed",
        "etcd http://«u:p»@127.0.0.1:2379",
        "GET /a?x=1&token=«abc»&y=«2» HTTP/1.1",
        "https://h/a;v=«1»?sig=«q»#t=«z»",
        "Authorization: Bearer «abcdef»",
        "{\"authorization\":\"Basic «dXNlcjpwYXNz»\"}",
        "proxy-authorization: Digest username=\"x\", «nonce=y»",
        "sent Basic «dXNlcjpwYXNz» to it",
        "Cookie: «a=b; c=d»",
        "set-cookie: «sid=1; Path=/»",
        "X-Api-Key: «one two three»",
        "x-origin-secret=«hunter2», next",
        "password: «correct horse battery»",
        "db.passwd = '«x»'",
        "FOREBAY_ADMIN_TOKEN=«short» set",
        "{\\\"access_key\\\":\\\"«zzz»\\\"}",
        "-----BEGIN EC PRIVATE KEY-----\n«MHcC»\n-----END EC PRIVATE KEY-----",
        "-----BEGIN RSA PRIVATE KEY-----\nDEK-Info: AES-128-CBC,«0F»\n\n«MIIE»\n-----END RSA",
        "jwt «eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc»",
        "key id «AKIAIOSFODNN7EXAMPLE» of",
        "random «wJalrXUtnFEMI7K7MDENG3bPxRfiCYEX4»",
        "hex «00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff»",
      })
  void secretsAreFoundByTheirPlaceNameOrForm(String marked) {
    String text = marked.replaceAll("[«»]", "");
    String redacted = NOTHING_KNOWN.text(text);
    int secrets = 0;
    for (String rest = marked; rest.contains("«"); secrets++) {
      String secret = rest.substring(rest.indexOf('«') + 1, rest.indexOf('»'));
      rest = rest.substring(rest.indexOf('»') + 1);
      assertFalse(secret.length() > 2 && redacted.contains(secret), secret + " in " + redacted);
    }
    assertTrue(secrets > 0, marked);
    assertTrue(redacted.contains(Redactor.MASK), redacted);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "forebay_requests_total{cache=\"hit\",route=\"api\"} 12345678901234567890",
        "forebay_response_bytes{le=\"+Inf\"} 1",
        "at io.forebay.server.listen.http2.Http2ConnectionDecoderFrameListener.onData(X.java:12)",
        "at io.forebay.server.protect.token.TokenCheck.verify(TokenCheck.java:71)",
        "2026-11-28T03:00:00Z [main] INFO forebay: listening on 127.0.0.1:8080",
        "admin.token-file: /etc/forebay/admin-token",
        "00112233445566778899aabbccddeeff",
        "Cache-Status: forebay; hit; ttl=3588",
      })
  void whatIsNoSecretStays(String text) {
    assertEquals(text, NOTHING_KNOWN.text(text));
  }

  @Test
  void aKnownSecretIsFoundInEveryCoding() {
    String secret = "b\"l u/e+";
    Redactor redactor = new Redactor(List.of(secret, "abc"));
    String base64 = Base64.getEncoder().encodeToString(secret.getBytes(StandardCharsets.UTF_8));
    for (String text :
        List.of(secret, "b%22l+u%2Fe%2B", "b%22l%20u%2Fe%2B", base64, "b\\\"l u/e+")) {
      assertTrue(redactor.text("say " + text + ".").startsWith("say ***"), text);
    }
    assertEquals("abcdef", redactor.text("abcdef"), "three characters are no secret");
  }

  private static String redacted(String json) {
    String text = NOTHING_KNOWN.json(Output.mapper().readTree(json));
    return Output.mapper().readTree(text).toString();
  }

  @Test
  void jsonStaysJsonAndNamesTell() {
    assertEquals(
        "{\"token\":\"***\",\"tokens\":5,\"tokenFile\":\"/etc/t\",\"secret\":{\"a\":[\"***\",null]}}",
        redacted(
            "{\"token\":\"t\",\"tokens\":5,\"tokenFile\":\"/etc/t\",\"secret\":{\"a\":[\"x\",null]}}"));
  }

  @Test
  void rulesShowTheirFormAndNoValuesOfFields() {
    String redacted =
        redacted(
            """
            {"rules":[{"when":{"path":"/api/","header":{"X-Key":"v1"},"cookie":{"s":["v2"]},
              "query":{"q":"v3"},"expression":"request.headers[\\"x-key\\"] == \\"v4\\""},
              "request-headers":{"set":{"X-Up":"v5"},"add":{"Y":["v6"]},"remove":["Server"]},
              "respond":{"status":200,"text":"v7","headers":{"Z":"v8"}}}],
             "key":{"headers":["X-Country"]}}\
            """);
    assertFalse(redacted.matches(".*v[1-8].*"), redacted);
    for (String kept : List.of("/api/", "X-Key", "X-Up", "Server", "X-Country", "==")) {
      assertTrue(redacted.contains(kept), kept + " in " + redacted);
    }
  }

  @Test
  void fieldsAndKeysOfAnExplanationHaveNoValuesOfOthers() {
    JsonNode redacted =
        Output.mapper()
            .readTree(
                redacted(
                    """
                    {"fields":[["accept","text/html"],["x-anything","v1"]],
                     "stored":{"fields":["etag: \\"1\\"","x-user: v2"],
                      "key":"http://h:80/a?b=v3 :cookie v4"},
                     "key":{"text":"http://h:80/a?b=v3","hash":"00112233445566778899aabbccddeeff"}}\
                    """));
    assertFalse(redacted.toString().matches(".*v[1-4].*"), redacted.toString());
    assertEquals("text/html", redacted.at("/fields/0/1").asString(""));
    assertEquals("etag: \"1\"", redacted.at("/stored/fields/0").asString(""));
    assertEquals("http://h:80/a?b=***", redacted.at("/key/text").asString(""));
  }

  @Test
  void longTextsTakeNoStack() {
    String text =
        "-----BEGIN PRIVATE KEY-----" + "A".repeat(300_000) + "\"" + "\\\\".repeat(100_000);
    assertTrue(NOTHING_KNOWN.text(text).length() <= text.length());
    assertTrue(
        NOTHING_KNOWN
            .json(Output.mapper().createObjectNode().put("expression", text))
            .contains("expression"));
  }
}
