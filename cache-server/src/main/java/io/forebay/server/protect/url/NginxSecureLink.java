package io.forebay.server.protect.url;

import io.forebay.core.http.RequestView;
import io.forebay.server.config.ProtectionProfile.SignedUrlConfig;
import io.forebay.server.config.ProtectionProfile.UrlKey;
import io.forebay.server.network.IpAddress;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Links of nginx's {@code secure_link_md5 "$secure_link_expires$uri$remote_addr SECRET"}, or the
 * same without the address, in the parameters {@code md5} and {@code expires}. MD5 with a secret at
 * the end is weak: for links that exist, not for new ones.
 */
final class NginxSecureLink extends UrlSignature {
  private final List<UrlKey> keys;
  private final boolean hasAddress;

  NginxSecureLink(SignedUrlConfig config) {
    super(config);
    keys = config.keys();
    hasAddress = config.hasAddress();
  }

  @Override
  public Verdict verify(RequestView request, long hi, long lo, long nowSeconds) {
    String md5 = parameter(request.query(), "md5");
    String expires = parameter(request.query(), "expires");
    long until = expires == null ? -1 : seconds(expires);
    byte[] given = md5 == null ? null : decoded(md5);
    if (given == null || expires == null || until < 0) {
      return Verdict.INVALID;
    }
    boolean isSigned = false;
    for (UrlKey key : keys) {
      isSigned |= MessageDigest.isEqual(md5(request.path(), expires, key, hi, lo), given);
    }
    if (!isSigned) {
      return Verdict.INVALID;
    }
    return nowSeconds < until ? Verdict.VALID : Verdict.EXPIRED;
  }

  private byte[] md5(String path, String expires, UrlKey key, long hi, long lo) {
    try {
      MessageDigest md5 = MessageDigest.getInstance("MD5");
      md5.update(expires.getBytes(StandardCharsets.US_ASCII));
      md5.update(uri(path));
      String address = hasAddress ? IpAddress.text(hi, lo) : "";
      md5.update((address + " " + key.secret().value()).getBytes(StandardCharsets.UTF_8));
      return md5.digest();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The path as nginx's {@code $uri} has it: with escapes decoded. */
  private static byte[] uri(String path) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(path.length());
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      if (c == '%') {
        bytes.write(Integer.parseInt(path, i + 1, i + 3, 16));
        i += 2;
      } else {
        bytes.write(c);
      }
    }
    return bytes.toByteArray();
  }

  private static byte @Nullable [] decoded(String md5) {
    try {
      return md5.length() > 24 ? null : Base64.getUrlDecoder().decode(md5);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
