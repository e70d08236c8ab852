package io.forebay.server.protect.url;

import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.FieldsView;
import io.forebay.core.http.KnownField;
import io.forebay.core.http.RequestView;
import io.forebay.server.config.ProtectionProfile.SignedUrlConfig;
import io.forebay.server.config.ProtectionProfile.UrlKey;
import io.forebay.server.config.PublicKeyFile;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * URLs and cookies that are signed for Amazon CloudFront.
 *
 * <pre>
 *   canned policy    Expires                 Signature  Key-Pair-Id  [Hash-Algorithm]
 *   custom policy    Policy (base64, JSON)   Signature  Key-Pair-Id  [Hash-Algorithm]
 * </pre>
 *
 * They are parameters of the query, or, where it has none of them, cookies named {@code
 * CloudFront-…}. The signature is over the policy: the custom one as it is there, or the canned
 * one, which is made here of the URL and the time. RSA (PKCS #1) or ECDSA, with SHA-256 where
 * Hash-Algorithm says so, otherwise with SHA-1, which is weak.
 */
final class CloudFrontSignature extends UrlSignature {

  private static final byte NO_BASE64 = '!';
  private static final int MAX_POLICY = 4096;
  private static final int MAX_SIGNATURE = 1024;

  private final Map<String, PublicKey> keys = new HashMap<>();
  private final VerifiedSignatures verified = new VerifiedSignatures();

  CloudFrontSignature(SignedUrlConfig config) {
    super(config);
    for (UrlKey key : config.keys()) {
      PublicKeyFile file = key.publicKey();
      if (file != null) {
        keys.put(key.id(), file.key());
      }
    }
  }

  /** The parts of a signature, each where it is there once. */
  private record Parts(
      @Nullable String policy,
      @Nullable String expires,
      @Nullable String signature,
      @Nullable String keyId,
      @Nullable String hash) {

    /** Exactly one kind of policy, and what all have; the bounds hold. */
    boolean areWhole() {
      return (policy == null) != (expires == null)
          && signature != null
          && keyId != null
          && signature.length() <= MAX_SIGNATURE
          && (policy == null || policy.length() <= MAX_POLICY);
    }
  }

  @Override
  public Verdict verify(RequestView request, long hi, long lo, long nowSeconds) {
    String query = request.query();
    String bare = withoutToken(query);
    Parts parts = isSigned(query) ? ofQuery(query) : ofCookies(request);
    String keyId = parts.keyId();
    PublicKey key = keyId == null ? null : keys.get(keyId);
    if (keyId == null || key == null || !parts.areWhole()) {
      return Verdict.INVALID;
    }
    String url =
        request.scheme()
            + "://"
            + request.authority()
            + request.path()
            + (bare == null ? "" : "?" + bare);
    byte[] policy = policy(parts, url);
    byte[] signature = decoded(parts.signature());
    String algorithm = algorithm(key, parts.hash());
    if (policy == null || signature == null || algorithm == null) {
      return Verdict.INVALID;
    }
    if (!verified.contains(keyId, algorithm, policy, signature)) {
      if (!isSigned(key, algorithm, policy, signature)) {
        return Verdict.INVALID;
      }
      verified.add(keyId, algorithm, policy, signature);
    }
    CloudFrontPolicy admitted =
        parts.policy() == null ? canned(parts.expires()) : CloudFrontPolicy.parse(policy);
    return admitted == null ? Verdict.INVALID : admitted.judge(url, hi, lo, nowSeconds);
  }

  private static boolean isSigned(@Nullable String query) {
    if (query == null) {
      return false;
    }
    for (String name : SignedUrlConfig.CLOUDFRONT_PARAMETERS) {
      if (query.startsWith(name + "=") || query.contains("&" + name + "=")) {
        return true;
      }
    }
    return false;
  }

  private static Parts ofQuery(@Nullable String query) {
    return new Parts(
        parameter(query, "Policy"),
        parameter(query, "Expires"),
        parameter(query, "Signature"),
        parameter(query, "Key-Pair-Id"),
        parameter(query, "Hash-Algorithm"));
  }

  private static Parts ofCookies(RequestView request) {
    FieldsView fields = request.fields();
    boolean hasCookies = request.has(KnownField.COOKIE);
    return new Parts(
        hasCookies ? cookie(fields, "CloudFront-Policy") : null,
        hasCookies ? cookie(fields, "CloudFront-Expires") : null,
        hasCookies ? cookie(fields, "CloudFront-Signature") : null,
        hasCookies ? cookie(fields, "CloudFront-Key-Pair-Id") : null,
        hasCookies ? cookie(fields, "CloudFront-Hash-Algorithm") : null);
  }

  /** The value of a cookie that the request has once; null otherwise. */
  private static @Nullable String cookie(FieldsView fields, String name) {
    String found = null;
    for (String line : fields.all("cookie")) {
      int from = 0;
      for (int i = 0; i <= line.length(); i++) {
        if (i < line.length() && line.charAt(i) != ';') {
          continue;
        }
        String pair = FieldSyntax.trim(line, from, i);
        from = i + 1;
        if (pair.startsWith(name) && pair.startsWith("=", name.length())) {
          if (found != null) {
            return null;
          }
          found = pair.substring(name.length() + 1);
        }
      }
    }
    return found;
  }

  /** The text that was signed. */
  private static byte @Nullable [] policy(Parts parts, String url) {
    if (parts.policy() != null) {
      return decoded(parts.policy());
    }
    String text =
        "{\"Statement\":[{\"Resource\":\""
            + url
            + "\",\"Condition\":{\"DateLessThan\":{\"AWS:EpochTime\":"
            + parts.expires()
            + "}}}]}";
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static @Nullable CloudFrontPolicy canned(@Nullable String expires) {
    long until = expires == null ? -1 : seconds(expires);
    // The URL is a part of what was signed.
    return until < 0 ? null : new CloudFrontPolicy(null, until, -1, null);
  }

  private static @Nullable String algorithm(PublicKey key, @Nullable String hash) {
    String digest =
        switch (hash) {
          case null -> "SHA1";
          case "SHA1" -> "SHA1";
          case "SHA256" -> "SHA256";
          default -> null;
        };
    return digest == null
        ? null
        : digest + "with" + (key.getAlgorithm().equals("RSA") ? "RSA" : "ECDSA");
  }

  private static boolean isSigned(
      PublicKey key, String algorithm, byte[] policy, byte[] signature) {
    try {
      Signature verifier = Signature.getInstance(algorithm);
      verifier.initVerify(key);
      verifier.update(policy);
      return verifier.verify(signature);
    } catch (SignatureException e) {
      return false;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** CloudFront's base64: - for +, _ for =, ~ for /. */
  private static byte @Nullable [] decoded(@Nullable String text) {
    if (text == null) {
      return null;
    }
    byte[] usual = new byte[text.length()];
    for (int i = 0; i < usual.length; i++) {
      char c = text.charAt(i);
      usual[i] =
          switch (c) {
            case '-' -> '+';
            case '_' -> '=';
            case '~' -> '/';
            case '+', '=', '/' -> NO_BASE64;
            default -> c < 0x80 ? (byte) c : NO_BASE64;
          };
    }
    try {
      return Base64.getDecoder().decode(usual);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
