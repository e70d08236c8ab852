package io.forebay.core.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The byte ranges that a Range field selects from a representation of known length (RFC 9110
 * §14.1.2, §14.2). A field with another unit, a malformed field, and a set of ranges that only an
 * attacker would send (see {@link RangeSet}) are ignored, which §14.2 allows.
 */
public sealed interface ByteRange {

  /** The field is ignored: the response is the whole representation. */
  record None() implements ByteRange {}

  /** The bytes from first to last, both included. */
  record Satisfiable(long first, long last) implements ByteRange {
    public long length() {
      return last - first + 1;
    }

    /** Where it ends, exclusive. */
    public long end() {
      return last + 1;
    }
  }

  /**
   * Two or more parts that neither overlap nor touch, in the order in which they were asked for.
   */
  record Several(List<Satisfiable> parts) implements ByteRange {}

  /** No byte asked for exists: status 416. */
  record Unsatisfiable() implements ByteRange {}

  /** The one {@link None}. */
  ByteRange NONE = new None();

  /** The one {@link Unsatisfiable}. */
  ByteRange UNSATISFIABLE = new Unsatisfiable();

  /**
   * Evaluates the value of a Range field, null when there is none.
   *
   * @param maxRanges a field that names more ranges is ignored
   */
  static ByteRange of(@Nullable CharSequence value, long totalLength, int maxRanges) {
    RangeSet set = value == null ? null : RangeSet.parse(value, maxRanges);
    return set == null ? NONE : set.of(totalLength);
  }
}
