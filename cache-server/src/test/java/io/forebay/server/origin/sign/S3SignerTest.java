package io.forebay.server.origin.sign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.config.Secret;
import io.forebay.server.config.SigningConfig.Addressing;
import io.forebay.server.config.SigningConfig.S3Config;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class S3SignerTest {
  private static final Instant TIME = Instant.parse("2026-01-02T03:04:05Z");

  private static S3Signer signer(
      Addressing addressing, @Nullable String host, @Nullable String token, String... parameters) {
    return new S3Signer(
        new S3Config(
            "media",
            addressing,
            "eu-central-1",
            "AKIAEXAMPLE",
            new Secret("a-secret"),
            token == null ? null : new Secret(token),
            List.of(parameters)),
        host,
        InstantSource.fixed(TIME));
  }

  private static SignableRequest request(
      String method, String target, String authority, String... more) {
    HeaderFields.Builder fields = HeaderFields.builder().add("host", "cdn.example");
    HeaderFields.of(more).forEach(fields::add);
    return new SignableRequest(method, target, fields.build(), false, authority, true);
  }

  private static SignableRequest signed(SignableRequest request) {
    return signer(Addressing.PATH, null, null).sign(request);
  }

  @ParameterizedTest
  @CsvSource({
    "PATH, , s3.example:9000, s3.example:9000, /media/a",
    "VIRTUAL_HOST, , s3.example, media.s3.example, /a",
    "VIRTUAL_HOST, , media.s3.example, media.s3.example, /a",
    "VIRTUAL_HOST, media.other.example, s3.example, media.other.example, /a",
    "PATH, other.example, s3.example, other.example, /media/a",
    "PATH, , [::1]:9000, [::1]:9000, /media/a",
  })
  void theBucketIsInPathOrHostAndTheHostOfTheClientIsNot(
      Addressing addressing, @Nullable String host, String authority, String sent, String target) {
    SignableRequest signed = signer(addressing, host, null).sign(request("GET", "/a", authority));
    assertEquals(target, signed.target());
    assertEquals(List.of(sent), signed.fields().all("host"));
    assertTrue(
        signed
            .fields()
            .all("authorization")
            .getFirst()
            .contains("SignedHeaders=host;x-amz-content-sha256;x-amz-date,"));
  }

  @Test
  void theClientsCredentialsAndAmzFieldsAreReplaced() {
    HeaderFields fields =
        signed(
                request(
                    "GET",
                    "/a",
                    "s3.example",
                    "authorization",
                    "Bearer of-a-client",
                    "x-amz-date",
                    "20200101T000000Z",
                    "x-amz-request-payer",
                    "requester"))
            .fields();
    assertEquals(1, fields.all("authorization").size());
    assertFalse(fields.toString().contains("of-a-client"));
    assertEquals(List.of("20260102T030405Z"), fields.all("x-amz-date"));
    assertNull(fields.first("x-amz-request-payer"));
  }

  @Test
  void rangesAndConditionsAreSentUnsigned() {
    SignableRequest plain = signed(request("GET", "/a", "s3.example"));
    SignableRequest ranged =
        signed(request("GET", "/a", "s3.example", "range", "bytes=0-9", "if-none-match", "\"1\""));
    assertEquals("bytes=0-9", ranged.fields().first("range"));
    assertEquals("\"1\"", ranged.fields().first("if-none-match"));
    assertEquals(plain.fields().first("authorization"), ranged.fields().first("authorization"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"PUT", "POST", "DELETE", "OPTIONS", "PATCH", "QUERY"})
  void otherMethodsGoUnsignedAndWithoutTheClientsCredentials(String method) {
    SignableRequest sent =
        signed(request(method, "/a?acl", "s3.example", "authorization", "Basic x"));
    assertEquals("/media/a", sent.target());
    assertEquals("s3.example", sent.fields().first("host"));
    assertNull(sent.fields().first("authorization"));
    assertNull(sent.fields().first("x-amz-date"));
  }

  @Test
  void aRequestWithABodyGoesUnsigned() {
    SignableRequest sent =
        signed(
            new SignableRequest(
                "GET", "/a", HeaderFields.of("host", "cdn.example"), true, "s3.example", true));
    assertNull(sent.fields().first("authorization"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/?list-type=2", "/..%2Fother/secret"})
  void theBucketItselfAndPathsOutOfItAreNotSigned(String target) {
    SignableRequest sent = signed(request("GET", target, "s3.example"));
    assertTrue(sent.target().startsWith("/media/"), sent.target());
    assertFalse(sent.target().contains("?"), sent.target());
    assertNull(sent.fields().first("authorization"));
  }

  @Test
  void onlyListedParametersAreSent() {
    SignableRequest request =
        request(
            "GET",
            "/a?acl&versionId=a%2Fb+c&response-content-type=text/html&x=1&versionId",
            "s3.example");
    assertEquals("/media/a", signed(request).target());
    assertEquals(
        "/media/a?versionId=a%2Fb%20c&versionId=",
        signer(Addressing.PATH, null, null, "versionId").sign(request).target());
  }

  @Test
  void aSessionTokenIsSentAndSigned() {
    HeaderFields fields =
        signer(Addressing.PATH, null, "the-token")
            .sign(request("GET", "/a", "s3.example"))
            .fields();
    assertEquals("the-token", fields.first("x-amz-security-token"));
    assertTrue(
        fields
            .all("authorization")
            .getFirst()
            .contains("SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,"));
  }

  @Test
  void nothingThatIsShownHasASecret() {
    S3Signer signer = signer(Addressing.PATH, null, "the-token");
    SignableRequest signed = signer.sign(request("GET", "/a", "s3.example"));
    for (String text : List.of(signer.notes().toString(), signed.toString())) {
      assertFalse(text.contains("a-secret") || text.contains("the-token"), text);
      assertFalse(text.contains("Signature="), text);
    }
  }
}
