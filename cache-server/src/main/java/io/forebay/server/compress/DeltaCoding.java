package io.forebay.server.compress;

import io.forebay.core.http.FieldSyntax;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A content coding that describes a body by what the client has already, its dictionary (RFC 9842
 * §4 and §5); in the order in which the node prefers them.
 *
 * <pre>
 *   dcb   FF 44 43 42               SHA-256 of the dictionary   br stream
 *   dcz   5E 2A 4D 18 20 00 00 00   SHA-256 of the dictionary   zstd frame
 * </pre>
 */
public enum DeltaCoding {
  DCB("dcb", ContentCoding.BR, "ff444342"),
  DCZ("dcz", ContentCoding.ZSTD, "5e2a4d1820000000");

  private static final int WEIGHT_BITS = 11;

  private final String token;
  private final ContentCoding encoder;
  private final String magic;

  DeltaCoding(String token, ContentCoding encoder, String magic) {
    this.token = token;
    this.encoder = encoder;
    this.magic = magic;
  }

  /** As in Content-Encoding. */
  public String token() {
    return token;
  }

  /** The coding whose encoder, and whose level, it uses. */
  public ContentCoding encoder() {
    return encoder;
  }

  /** What a body begins with, before the hash of the dictionary. */
  byte[] magic() {
    return HexFormat.of().parseHex(magic);
  }

  /** The coding of that name in lower case, or null. */
  public static @Nullable DeltaCoding ofToken(String token) {
    for (DeltaCoding coding : values()) {
      if (coding.token.equals(token)) {
        return coding;
      }
    }
    return null;
  }

  /**
   * What lines of Accept-Encoding say of these codings, as one number; {@code *} is not about them.
   * Where one is named twice, the first counts.
   */
  public static long weights(Iterable<String> lines) {
    long weights = 0;
    for (String line : lines) {
      int start = 0;
      while (start <= line.length()) {
        int end = FieldSyntax.memberEnd(line, start);
        weights = added(weights, FieldSyntax.trim(line, start, end));
        start = end + 1;
      }
    }
    return weights;
  }

  private static long added(long weights, String member) {
    int semicolon = member.indexOf(';');
    int end = semicolon < 0 ? member.length() : semicolon;
    String token = FieldSyntax.trim(member, 0, end);
    for (DeltaCoding coding : values()) {
      int shift = coding.ordinal() * WEIGHT_BITS;
      if (FieldSyntax.equalsIgnoreCase(token, coding.token) && at(weights, shift) == 0) {
        int weight =
            semicolon < 0
                ? 1000
                : CodingWeights.weight(
                    member,
                    CodingWeights.skipWhitespace(member, semicolon + 1, member.length()),
                    member.length());
        // Another parameter is none of the field's: as if it were not named.
        return weight < 0 ? weights : weights | (weight + 1L) << shift;
      }
    }
    return weights;
  }

  private static int at(long weights, int shift) {
    return (int) (weights >>> shift) & ((1 << WEIGHT_BITS) - 1);
  }

  /** From 0 to 1000, of {@link #weights}; 0 for a coding that the client does not take. */
  public int weight(long weights) {
    return Math.max(0, at(weights, ordinal() * WEIGHT_BITS) - 1);
  }
}
