package io.forebay.server.compress;

import io.forebay.core.http.AcceptEncoding;
import org.jspecify.annotations.Nullable;

/** A content coding that the node can apply; in the order in which it prefers them. */
public enum ContentCoding {
  BR("br", AcceptEncoding.BR),
  ZSTD("zstd", AcceptEncoding.ZSTD),
  GZIP("gzip", AcceptEncoding.GZIP);

  private final String token;
  private final int bit;

  ContentCoding(String token, int bit) {
    this.token = token;
    this.bit = bit;
  }

  /** As in Content-Encoding. */
  public String token() {
    return token;
  }

  /** As in the classes of {@link AcceptEncoding}. */
  public int bit() {
    return bit;
  }

  /** The coding with that one bit of a class, or null. */
  public static @Nullable ContentCoding ofBits(int bits) {
    for (ContentCoding coding : values()) {
      if (coding.bit == bits) {
        return coding;
      }
    }
    return null;
  }

  /** The coding of that name in lower case, or null. */
  public static @Nullable ContentCoding ofToken(String token) {
    for (ContentCoding coding : values()) {
      if (coding.token.equals(token)) {
        return coding;
      }
    }
    return null;
  }
}
