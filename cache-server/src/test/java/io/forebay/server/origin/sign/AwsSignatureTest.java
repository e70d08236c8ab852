package io.forebay.server.origin.sign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.config.Secret;
import io.forebay.server.config.SigningConfig.Addressing;
import io.forebay.server.config.SigningConfig.S3Config;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Against the examples that AWS publishes of signatures of S3 requests. */
final class AwsSignatureTest {
  private static final String HOST = "examplebucket.s3.amazonaws.com";
  private static final Instant TIME = Instant.parse("2013-05-24T00:00:00Z");
  private static final String EMPTY =
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

  private final AwsSignature signature = at(TIME);

  private static AwsSignature at(Instant time) {
    return new AwsSignature(
        new S3Config(
            "examplebucket",
            Addressing.VIRTUAL_HOST,
            "us-east-1",
            "AKIAIOSFODNN7EXAMPLE",
            new Secret("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
            null,
            List.of()),
        InstantSource.fixed(time));
  }

  private static String authorization(String signature) {
    return "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
        + " SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature="
        + signature;
  }

  @Test
  void aRequestWithOneParameterHasThePublishedSignature() {
    AwsSignature.Signed signed =
        signature.sign("GET", true, HOST, "/", List.of(Map.entry("lifecycle", "")));
    HeaderFields fields = signed.fields();
    assertEquals(HOST, fields.first("host"));
    assertEquals("20130524T000000Z", fields.first("x-amz-date"));
    assertEquals(EMPTY, fields.first("x-amz-content-sha256"));
    assertEquals(
        authorization("fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        fields.first("authorization"));
  }

  @Test
  void aRequestWithTwoParametersHasThePublishedSignature() {
    AwsSignature.Signed signed =
        signature.sign(
            "GET", true, HOST, "/", List.of(Map.entry("max-keys", "2"), Map.entry("prefix", "J")));
    assertEquals("max-keys=2&prefix=J", signed.query());
    assertEquals(
        authorization("34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
        signed.fields().first("authorization"));
  }

  @Test
  void theSignatureDependsOnTheSecond() {
    assertNotEquals(
        signature.sign("GET", true, HOST, "/a", List.of()).fields().first("authorization"),
        at(TIME.plusSeconds(1))
            .sign("GET", true, HOST, "/a", List.of())
            .fields()
            .first("authorization"));
  }
}
