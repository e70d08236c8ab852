package io.forebay.storage.purge;

import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A position in a log of purges that several nodes follow: how far a node has come.
 *
 * @param epochHigh first half of the 128 random bits that name the log; another log has others
 * @param epochLow second half
 * @param revision grows with each entry of the log; at least 0; there may be gaps
 */
public record PurgePosition(long epochHigh, long epochLow, long revision) {
  private static final int EPOCH_DIGITS = 32;
  private static final int MAX_REVISION_DIGITS = 19;
  private static final HexFormat HEX = HexFormat.of();

  public PurgePosition {
    if (revision < 0) {
      throw new IllegalArgumentException("revision " + revision + " of a log of purges");
    }
  }

  /** The same log at another revision. */
  public PurgePosition at(long otherRevision) {
    return new PurgePosition(epochHigh, epochLow, otherRevision);
  }

  /** Whether both are positions in the same log; positions in different logs have no order. */
  public boolean isSameLog(PurgePosition other) {
    return epochHigh == other.epochHigh && epochLow == other.epochLow;
  }

  /** Whether this is that position in the same log, or a later one. */
  public boolean reaches(PurgePosition other) {
    return isSameLog(other) && revision >= other.revision;
  }

  /** The epoch as 32 hexadecimal digits. */
  public String epoch() {
    return HEX.toHexDigits(epochHigh) + HEX.toHexDigits(epochLow);
  }

  /** What {@link #toString} writes, and nothing else; null for any other text. */
  public static @Nullable PurgePosition parse(String text) {
    int digits = text.length() - EPOCH_DIGITS - 1;
    if (digits < 1 || digits > MAX_REVISION_DIGITS || text.charAt(EPOCH_DIGITS) != ':') {
      return null;
    }
    for (int at = 0; at < text.length(); at++) {
      char c = text.charAt(at);
      boolean isDigit = c >= '0' && c <= '9';
      if (at != EPOCH_DIGITS && !isDigit && (at > EPOCH_DIGITS || c < 'a' || c > 'f')) {
        return null;
      }
    }
    if (digits > 1 && text.charAt(EPOCH_DIGITS + 1) == '0') {
      return null;
    }
    try {
      return new PurgePosition(
          Long.parseUnsignedLong(text, 0, EPOCH_DIGITS / 2, 16),
          Long.parseUnsignedLong(text, EPOCH_DIGITS / 2, EPOCH_DIGITS, 16),
          Long.parseLong(text, EPOCH_DIGITS + 1, text.length(), 10));
    } catch (NumberFormatException e) {
      // A revision of 19 digits that is above the largest long.
      return null;
    }
  }

  /** The epoch, a colon and the revision in decimal digits. */
  @Override
  public String toString() {
    return epoch() + ":" + revision;
  }
}
