package io.forebay.server.origin.sign;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.config.Secret;
import io.forebay.server.config.SigningConfig.S3Config;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;
import software.amazon.awssdk.identity.spi.AwsSessionCredentialsIdentity;

/**
 * AWS Signature Version 4 of a request without a body: the only class that knows the AWS SDK. The
 * SDK computes and does no I/O; it keeps the signing key of a day.
 */
final class AwsSignature {
  private static final String SERVICE = "s3";
  private static final AwsV4HttpSigner SIGNER = AwsV4HttpSigner.create();

  private final String region;
  private final AwsCredentialsIdentity identity;
  private final Clock clock;

  /**
   * Signs for the region and with the key of a bucket. One request is signed at once, so that no
   * event loop has to load the classes, and so that credentials that cannot sign fail here.
   */
  AwsSignature(S3Config config, InstantSource clock) {
    this.region = config.region();
    this.identity = identity(config);
    this.clock = new UtcClock(clock);
    sign("GET", true, "localhost", "/", List.of());
  }

  private static AwsCredentialsIdentity identity(S3Config config) {
    Secret token = config.sessionToken();
    String secret = config.secretKey().value();
    return token == null
        ? AwsCredentialsIdentity.create(config.accessKey(), secret)
        : AwsSessionCredentialsIdentity.create(config.accessKey(), secret, token.value());
  }

  /** What a signed request has: exactly these must be sent. */
  record Signed(String query, HeaderFields fields) {}

  /**
   * Signs.
   *
   * @param host with a port if it is not the default
   * @param path encoded as {@link S3Key} does
   * @param parameters names and values of the query, decoded
   */
  Signed sign(
      String method,
      boolean isTls,
      String host,
      String path,
      List<Map.Entry<String, String>> parameters) {
    int colon = host.lastIndexOf(':');
    boolean hasPort = colon >= 0 && host.indexOf(']', colon) < 0;
    SdkHttpRequest.Builder request =
        SdkHttpRequest.builder()
            .method(SdkHttpMethod.fromValue(method))
            .protocol(isTls ? "https" : "http")
            .host(hasPort ? host.substring(0, colon) : host)
            .encodedPath(path);
    if (hasPort) {
      request.port(Integer.parseInt(host.substring(colon + 1)));
    }
    parameters.forEach(
        parameter -> request.appendRawQueryParameter(parameter.getKey(), parameter.getValue()));
    SdkHttpRequest signed =
        SIGNER
            .sign(order ->
                order
                    .identity(identity)
                    .request(request.build())
                    .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, SERVICE)
                    .putProperty(AwsV4HttpSigner.REGION_NAME, region)
                    .putProperty(AwsV4HttpSigner.DOUBLE_URL_ENCODE, false)
                    .putProperty(AwsV4HttpSigner.NORMALIZE_PATH, false)
                    .putProperty(AwsV4HttpSigner.PAYLOAD_SIGNING_ENABLED, true)
                    .putProperty(AwsV4HttpSigner.SIGNING_CLOCK, clock))
            .request();
    HeaderFields.Builder fields = HeaderFields.builder();
    signed.forEachHeader((name, values) -> values.forEach(value -> fields.add(name, value)));
    return new Signed(signed.encodedQueryParameters().orElse(""), fields.build());
  }

  /** The SDK wants a Clock. */
  private static final class UtcClock extends Clock {
    private final InstantSource source;

    UtcClock(InstantSource source) {
      this.source = source;
    }

    @Override
    public Instant instant() {
      return source.instant();
    }

    @Override
    public ZoneOffset getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return source.withZone(zone);
    }
  }
}
