package io.forebay.server.origin.sign;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.config.SigningConfig.HmacConfig;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * HTTP Message Signatures (RFC 9421) with HMAC-SHA256 over method, authority, path, query and the
 * time.
 *
 * <pre>
 *   Signature-Input: forebay=("@method" "@authority" "@path" "@query");created=…;keyid="…";alg=…
 *   Signature: forebay=:…:
 * </pre>
 */
final class MessageSigner implements RequestSigner {
  private static final String ALGORITHM = "HmacSHA256";
  private static final String COMPONENTS = "(\"@method\" \"@authority\" \"@path\" \"@query\")";

  private final String keyId;
  private final SecretKeySpec key;
  private final InstantSource clock;

  MessageSigner(HmacConfig config, InstantSource clock) {
    this.keyId = config.keyId();
    this.key = new SecretKeySpec(config.key().value().getBytes(StandardCharsets.UTF_8), ALGORITHM);
    this.clock = clock;
  }

  @Override
  public SignableRequest sign(SignableRequest request) {
    String parameters =
        COMPONENTS
            + ";created="
            + clock.instant().getEpochSecond()
            + ";keyid=\""
            + keyId
            + "\";alg=\"hmac-sha256\"";
    String base =
        "\"@method\": "
            + request.method()
            + "\n\"@authority\": "
            + authority(request)
            + "\n\"@path\": "
            + request.path()
            + "\n\"@query\": ?"
            + request.query()
            + "\n\"@signature-params\": "
            + parameters;
    HeaderFields.Builder out = HeaderFields.builder();
    HeaderFields given = request.fields();
    for (int i = 0; i < given.size(); i++) {
      if (!given.name(i).equals("signature") && !given.name(i).equals("signature-input")) {
        out.add(given.name(i), given.value(i));
      }
    }
    out.add("signature-input", "forebay=" + parameters);
    out.add("signature", "forebay=:" + Base64.getEncoder().encodeToString(mac(key, base)) + ":");
    return request.with(request.target(), out.build());
  }

  /** In lower case and without the default port (RFC 9421 §2.2.3). */
  private static String authority(SignableRequest request) {
    String host = request.fields().first("host");
    String authority = host == null ? request.authority() : host;
    String port = request.isTls() ? ":443" : ":80";
    return (authority.endsWith(port)
            ? authority.substring(0, authority.length() - port.length())
            : authority)
        .toLowerCase(Locale.ROOT);
  }

  static byte[] mac(SecretKeySpec key, String text) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      return mac.doFinal(text.getBytes(StandardCharsets.ISO_8859_1));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, e);
    }
  }

  @Override
  public List<String> notes() {
    return List.of(
        "the node signs the request to the origin (RFC 9421, hmac-sha256, key " + keyId + ")");
  }
}
