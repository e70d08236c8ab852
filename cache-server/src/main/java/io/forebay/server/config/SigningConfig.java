package io.forebay.server.config;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How this node proves itself to an origin. At most one of {@code s3} and {@code hmac} is there.
 *
 * @param fields set on each request, in place of what the client sent
 */
public record SigningConfig(
    List<StaticField> fields, @Nullable S3Config s3, @Nullable HmacConfig hmac) {

  /** Requests are sent as they are. */
  public static final SigningConfig NONE = new SigningConfig(List.of(), null, null);

  public SigningConfig {
    fields = List.copyOf(fields);
  }

  /**
   * A request field with a value of its own.
   *
   * @param name in lower case
   */
  public record StaticField(String name, Secret value) {}

  /** Where the bucket stands: before the path, or as the first label of the host. */
  public enum Addressing {
    PATH,
    VIRTUAL_HOST
  }

  /**
   * An S3 bucket, and the key with which its objects are read.
   *
   * @param sessionToken of temporary credentials, or null
   * @param parameters names of query parameters that are sent on, lower and upper case distinct
   */
  public record S3Config(
      String bucket,
      Addressing addressing,
      String region,
      String accessKey,
      Secret secretKey,
      @Nullable Secret sessionToken,
      List<String> parameters) {}

  /** A key for HTTP Message Signatures (RFC 9421). */
  public record HmacConfig(String keyId, Secret key) {}

  /** Whether requests are signed, not only marked. */
  public boolean isSigning() {
    return s3 != null || hmac != null;
  }

  /**
   * Names of the request fields that an origin never gets from a client, in lower case, with a star
   * for any ending.
   */
  public List<String> replacedFields() {
    List<String> names = new ArrayList<>(fields.stream().map(StaticField::name).toList());
    if (s3 != null) {
      names.add("authorization");
      names.add("x-amz-*");
    }
    if (hmac != null) {
      names.add("signature");
      names.add("signature-input");
    }
    return List.copyOf(names);
  }
}
