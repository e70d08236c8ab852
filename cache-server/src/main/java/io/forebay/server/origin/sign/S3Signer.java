package io.forebay.server.origin.sign;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.key.NamePatterns;
import io.forebay.server.config.SigningConfig.Addressing;
import io.forebay.server.config.SigningConfig.S3Config;
import io.forebay.server.origin.sign.AwsSignature.Signed;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Requests to a bucket of an S3-compatible server.
 *
 * <pre>
 *   GET /a%20b?versionId=7&amp;x=1      Host: cdn.example       of the client
 *   GET /BUCKET/a%20b?versionId=7   Host: s3.example        addressing: path
 *   GET /a%20b?versionId=7          Host: BUCKET.s3.example addressing: virtual-host
 * </pre>
 *
 * <p>Only {@code GET} and {@code HEAD} of an object are signed. Everything else goes unsigned, and
 * the server answers it as it answers anyone, without a query: other methods, what lists the
 * bucket, and paths that a server may take for another one. Signed are {@code Host} and what S3
 * requires; {@code Range} and conditions are not, and mean what they mean without a signature.
 */
final class S3Signer implements RequestSigner {
  private final S3Config config;
  private final @Nullable String host;
  private final NamePatterns sent;
  private final AwsSignature signature;

  /**
   * Signs for one bucket.
   *
   * @param host Host field of the configuration, or null for one made of URL and bucket
   */
  S3Signer(S3Config config, @Nullable String host, InstantSource clock) {
    this.config = config;
    this.host = host;
    this.sent = new NamePatterns(config.parameters());
    this.signature = new AwsSignature(config, clock);
  }

  @Override
  public SignableRequest sign(SignableRequest request) {
    String prefix = config.addressing() == Addressing.PATH ? "/" + config.bucket() : "";
    String key = isSigned(request) ? S3Key.encoded(request.path()) : null;
    String path = prefix + (key == null ? request.path() : key);
    List<Map.Entry<String, String>> query = parameters(request.query());
    HeaderFields.Builder out = HeaderFields.builder();
    String sentQuery = "";
    if (key == null) {
      out.add("host", host(request));
    } else {
      Signed signed = signature.sign(request.method(), request.isTls(), host(request), path, query);
      signed.fields().forEach(out::add);
      sentQuery = signed.query();
    }
    HeaderFields given = request.fields();
    for (int i = 0; i < given.size(); i++) {
      String name = given.name(i);
      if (!name.equals("host") && !name.equals("authorization") && !name.startsWith("x-amz-")) {
        out.add(name, given.value(i));
      }
    }
    return request.with(sentQuery.isEmpty() ? path : path + "?" + sentQuery, out.build());
  }

  private static boolean isSigned(SignableRequest request) {
    return !request.hasBody()
        && (request.method().equals("GET") || request.method().equals("HEAD"));
  }

  private String host(SignableRequest request) {
    if (host != null) {
      return host;
    }
    String label = config.bucket() + ".";
    return config.addressing() == Addressing.PATH || request.authority().startsWith(label)
        ? request.authority()
        : label + request.authority();
  }

  /** The parameters that may be sent, decoded. */
  private List<Map.Entry<String, String>> parameters(String query) {
    if (query.isEmpty() || sent.isEmpty()) {
      return List.of();
    }
    List<Map.Entry<String, String>> parameters = new ArrayList<>();
    int start = 0;
    while (start < query.length()) {
      int end = query.indexOf('&', start);
      end = end < 0 ? query.length() : end;
      int equals = query.indexOf('=', start);
      int nameEnd = equals < 0 || equals > end ? end : equals;
      if (nameEnd > start && sent.matches(query, start, nameEnd)) {
        String value = query.substring(Math.min(nameEnd + 1, end), end);
        try {
          parameters.add(
              Map.entry(
                  URLDecoder.decode(query.substring(start, nameEnd), StandardCharsets.UTF_8),
                  URLDecoder.decode(value, StandardCharsets.UTF_8)));
        } catch (IllegalArgumentException e) {
          // Encoded wrongly: the server could not read it either.
        }
      }
      start = end + 1;
    }
    return parameters;
  }

  @Override
  public List<String> notes() {
    return List.of(
        "GET and HEAD of objects are signed for S3 (bucket "
            + config.bucket()
            + ", region "
            + config.region()
            + ", access key "
            + config.accessKey()
            + "); the origin gets the bucket in path or Host, and no Authorization or x-amz-* of"
            + " the client");
  }
}
