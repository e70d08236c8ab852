package io.forebay.storage.inspect;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One page of a listing of objects.
 *
 * @param next where the next page begins; null after the last one
 */
public record Listing(List<InspectedObject> objects, @Nullable Position next) {

  /**
   * A place in the walk over all tiers. What moves between two pages may be seen twice or not at
   * all; nothing else is.
   */
  public record Position(int tier, int region, int slot) {
    public static final Position START = new Position(0, 0, 0);

    private static final Pattern TEXT = Pattern.compile("(\\d{1,4})\\.(\\d{1,9})\\.(\\d{1,9})");

    /** The position that a text names, or null. */
    public static @Nullable Position parse(String text) {
      Matcher matcher = TEXT.matcher(text);
      return matcher.matches()
          ? new Position(
              Integer.parseInt(matcher.group(1)),
              Integer.parseInt(matcher.group(2)),
              Integer.parseInt(matcher.group(3)))
          : null;
    }

    @Override
    public String toString() {
      return tier + "." + region + "." + slot;
    }
  }
}
