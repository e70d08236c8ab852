package io.forebay.server.origin.sign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.config.Secret;
import io.forebay.server.config.SigningConfig.HmacConfig;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class MessageSignerTest {
  private static final Instant TIME = Instant.ofEpochSecond(1618884473);

  private static SignableRequest signed(
      Instant time, String method, String target, String host, boolean isTls) {
    return new MessageSigner(
            new HmacConfig("edge", new Secret("0123456789abcdef")), InstantSource.fixed(time))
        .sign(
            new SignableRequest(
                method,
                target,
                HeaderFields.of("host", host, "signature", "a=:eA==:", "signature-input", "a=()"),
                false,
                "server.example",
                isTls));
  }

  private static String signature(String method, String target, String host, boolean isTls) {
    return signed(TIME, method, target, host, isTls).fields().all("signature").getFirst();
  }

  /** RFC 9421, appendix B.2.5. */
  @Test
  void theCodeIsThatOfThePublishedExample() {
    byte[] key =
        Base64.getDecoder()
            .decode(
                "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMt"
                    + "DQ==");
    String base =
        "\"date\": Tue, 20 Apr 2021 02:07:55 GMT\n"
            + "\"@authority\": example.com\n"
            + "\"content-type\": application/json\n"
            + "\"@signature-params\": (\"date\" \"@authority\" \"content-type\")"
            + ";created=1618884473;keyid=\"test-shared-secret\"";
    assertEquals(
        "pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=",
        Base64.getEncoder()
            .encodeToString(MessageSigner.mac(new SecretKeySpec(key, "HmacSHA256"), base)));
  }

  @Test
  void theFieldsOfTheClientAreReplaced() {
    HeaderFields fields = signed(TIME, "GET", "/a", "www.example", true).fields();
    assertEquals(
        List.of(
            "forebay=(\"@method\" \"@authority\" \"@path\" \"@query\");created=1618884473"
                + ";keyid=\"edge\";alg=\"hmac-sha256\""),
        fields.all("signature-input"));
    assertEquals(1, fields.all("signature").size());
    assertFalse(fields.toString().contains("0123456789abcdef"));
  }

  @Test
  void whatIsSignedIsMethodAuthorityPathQueryAndTime() {
    String one = signature("GET", "/a?b", "www.example", true);
    assertNotEquals(one, signature("HEAD", "/a?b", "www.example", true));
    assertNotEquals(one, signature("GET", "/b?b", "www.example", true));
    assertNotEquals(one, signature("GET", "/a?c", "www.example", true));
    assertNotEquals(one, signature("GET", "/a?b", "www2.example", true));
    assertNotEquals(
        one,
        signed(TIME.plusSeconds(1), "GET", "/a?b", "www.example", true)
            .fields()
            .first("signature"));
  }

  @ParameterizedTest
  @CsvSource({
    "WWW.example, true, www.example",
    "www.example:443, true, www.example",
    "www.example:80, false, www.example",
    "www.example, false, www.example",
  })
  void theAuthorityIsInNormalForm(String host, boolean isTls, String normal) {
    assertEquals(signature("GET", "/", normal, true), signature("GET", "/", host, isTls));
    assertNotEquals(
        signature("GET", "/", normal, true), signature("GET", "/", normal + ":8443", true));
  }
}
