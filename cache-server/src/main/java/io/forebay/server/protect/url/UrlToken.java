package io.forebay.server.protect.url;

import io.forebay.core.http.RequestView;
import io.forebay.core.http.TargetUri;
import io.forebay.server.config.ProtectionProfile.SignedUrlConfig;
import io.forebay.server.config.ProtectionProfile.UrlKey;
import io.forebay.server.network.NetworkSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Forebay's own tokens: {@code KEY~EXPIRES~SCOPE~NETWORK~SIGNATURE} in one query parameter.
 *
 * <pre>
 *   KEY        id of the key
 *   EXPIRES    seconds since 1970
 *   SCOPE      - for this URL alone, or the length of the path's prefix that is admitted
 *   NETWORK    - for every client, or an address or CIDR block
 *   SIGNATURE  base64url of HMAC-SHA256 over the lines
 *              forebay-url-1, KEY, EXPIRES, NETWORK, host, and "url PATH[?QUERY]" or "prefix PREFIX"
 * </pre>
 *
 * The query is that without the token.
 */
public final class UrlToken extends UrlSignature {
  private static final String NONE = "-";
  private static final int PARTS = 5;
  private static final int MAX_LENGTH = 256;

  private final String parameter;
  private final Map<String, HmacKey> keys = new HashMap<>();

  UrlToken(SignedUrlConfig config) {
    super(config);
    parameter = config.parameters().getFirst();
    for (UrlKey key : config.keys()) {
      keys.put(key.id(), new HmacKey(key.secret()));
    }
  }

  /**
   * Makes a token.
   *
   * @param expires seconds since 1970
   * @param prefix what the path begins with, up to a slash, or null to admit this URL alone
   * @param network an address or CIDR block, or null for every client
   */
  public static String sign(
      UrlKey key,
      TargetUri url,
      String parameter,
      long expires,
      @Nullable String prefix,
      @Nullable String network) {
    UrlToken own =
        new UrlToken(
            new SignedUrlConfig(
                SignedUrlConfig.Type.HMAC, List.of(parameter), false, List.of(key)));
    String scope = prefix == null ? NONE : Integer.toString(prefix.length());
    String[] parts = {
      key.id(), Long.toString(expires), scope, network == null ? NONE : network, ""
    };
    String subject =
        prefix == null ? url(url.path(), own.withoutToken(url.query())) : "prefix " + prefix;
    return key.id()
        + "~"
        + parts[1]
        + "~"
        + scope
        + "~"
        + parts[3]
        + "~"
        + new HmacKey(key.secret()).sign(text(parts, url.authority(), subject));
  }

  private static String url(String path, @Nullable String query) {
    return "url " + path + (query == null ? "" : "?" + query);
  }

  private static String text(String[] parts, String host, String subject) {
    return String.join("\n", "forebay-url-1", parts[0], parts[1], parts[3], host, subject);
  }

  @Override
  public Verdict verify(RequestView request, long hi, long lo, long nowSeconds) {
    String token = parameter(request.query(), parameter);
    String[] parts =
        token == null || token.length() > MAX_LENGTH ? new String[0] : token.split("~", -1);
    HmacKey key = parts.length == PARTS ? keys.get(parts[0]) : null;
    long expires = key == null ? -1 : seconds(parts[1]);
    String subject = expires < 0 ? null : subject(request, parts[2]);
    if (key == null || subject == null) {
      return Verdict.INVALID;
    }
    boolean isSigned = key.hasSigned(text(parts, request.authority(), subject), parts[4]);
    if (!isSigned || !isOf(parts[3], hi, lo)) {
      return Verdict.INVALID;
    }
    return nowSeconds < expires ? Verdict.VALID : Verdict.EXPIRED;
  }

  /** What the token admits of this request's host; null where it does not admit the path. */
  private @Nullable String subject(RequestView request, String scope) {
    String path = request.path();
    if (scope.equals(NONE)) {
      return url(path, withoutToken(request.query()));
    }
    long length = seconds(scope);
    return length < 1 || length > path.length() || path.charAt((int) length - 1) != '/'
        ? null
        : "prefix " + path.substring(0, (int) length);
  }

  private static boolean isOf(String network, long hi, long lo) {
    if (network.equals(NONE)) {
      return true;
    }
    try {
      return NetworkSet.of(List.of(network)).contains(hi, lo);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
