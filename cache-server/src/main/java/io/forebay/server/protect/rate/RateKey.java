package io.forebay.server.protect.rate;

import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.RequestView;
import io.forebay.core.key.SipHash128;
import io.forebay.server.config.ProtectionProfile.RateLimitConfig;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Hashes what a limit counts requests by, with a secret key, so that nobody can choose values that
 * fall on another client's bucket. Reusable, one per loop; allocates nothing. Of a long value the
 * first 1024 characters and the length count.
 */
final class RateKey implements BiConsumer<CharSequence, CharSequence> {
  private static final int MAX_TEXT = 1024;
  private static final int V6_HOST_BITS = 64;

  private final SipHash128 hash;
  private final byte[] bytes = new byte[MAX_TEXT + 32];
  private int length;

  private Map<String, String> claims = Map.of();

  // What is searched for in the fields.
  private String name = "";
  private String field = "";
  private boolean isCookie;
  private boolean isFound;

  RateKey(byte[] secret) {
    hash = new SipHash128(secret);
  }

  void claims(Map<String, String> verified) {
    claims = verified;
  }

  /**
   * The hash of a request's key.
   *
   * @param hi upper half of the client's address
   * @param lo lower half
   */
  long of(RateLimit limit, RequestView request, String route, long hi, long lo) {
    length = 0;
    put(limit.id());
    RateLimitConfig config = limit.config();
    switch (config.kind()) {
      case CLIENT -> {
        put(hi);
        put(lo);
      }
      case CLIENT_NETWORK -> {
        boolean isV4 = hi == 0 && lo >>> 32 == 0xffff;
        put(isV4 ? lo : hi);
        put(isV4 ? 0 : V6_HOST_BITS);
      }
      case HOST -> put(request.authority());
      case ROUTE -> put(route);
      case HEADER, COOKIE -> {
        name = config.kind() == RateLimitConfig.Kind.COOKIE ? "cookie" : config.field();
        isCookie = config.kind() == RateLimitConfig.Kind.COOKIE;
        isFound = false;
        field = config.field();
        request.fields().forEach(this);
        put(isFound ? 1 : 0);
      }
      case CLAIM -> {
        String value = claims.get(config.field());
        put(value == null ? "" : value);
        put(value == null ? 0 : 1);
      }
    }
    return hash.hash64(bytes, 0, length);
  }

  @Override
  public void accept(CharSequence line, CharSequence value) {
    if (isFound || line.length() != name.length() || !FieldSyntax.equalsIgnoreCase(line, name)) {
      return;
    }
    if (isCookie) {
      cookie(value);
    } else {
      isFound = true;
      put(value, 0, value.length());
    }
  }

  private void cookie(CharSequence value) {
    int from = 0;
    for (int i = 0; i <= value.length() && !isFound; i++) {
      if (i < value.length() && value.charAt(i) != ';') {
        continue;
      }
      while (from < i && value.charAt(from) == ' ') {
        from++;
      }
      int end = from + field.length();
      if (end < i && value.charAt(end) == '=' && isAt(value, from)) {
        isFound = true;
        put(value, end + 1, i);
      }
      from = i + 1;
    }
  }

  private boolean isAt(CharSequence value, int from) {
    for (int i = 0; i < field.length(); i++) {
      if (value.charAt(from + i) != field.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private void put(long value) {
    for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
      bytes[length++] = (byte) (value >>> shift);
    }
  }

  private void put(CharSequence text) {
    put(text, 0, text.length());
  }

  private void put(CharSequence text, int from, int to) {
    int end = Math.min(to, from + MAX_TEXT - 2 * Long.BYTES);
    for (int i = from; i < end; i++) {
      bytes[length++] = (byte) text.charAt(i);
    }
    put(to - from);
  }
}
