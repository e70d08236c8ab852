package io.forebay.server.counters;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Assigns numbers to configured names, so that counters by name are array elements. At most {@link
 * #MAX_NAMES} names get their own number; all others share {@link #OTHER}. A name keeps its number
 * for the life of the process, so a reload never assigns a count to another name. Used when a
 * configuration is loaded or a connection is made, never for a hit. Any thread.
 */
public final class NameTable {
  /** Names with a number of their own. */
  public static final int MAX_NAMES = 64;

  /** Number of what has no name. */
  public static final int NONE = 0;

  /** Number that all names beyond the limit share. */
  public static final int OTHER = 1;

  /** The first number of a name. */
  public static final int NAMED = 2;

  /** Numbers that there are: from 0 to below this. */
  public static final int SIZE = MAX_NAMES + NAMED;

  private final Map<String, Integer> numbers = new HashMap<>(Map.of("none", NONE, "other", OTHER));
  private final List<String> names = new ArrayList<>(List.of("none", "other"));

  /** The number of a name; an unknown name gets the next one, or {@link #OTHER} if none is left. */
  public synchronized int number(String name) {
    Integer known = numbers.get(name);
    if (known != null) {
      return known;
    }
    if (names.size() == SIZE) {
      return OTHER;
    }
    numbers.put(name, names.size());
    names.add(name);
    return names.size() - 1;
  }

  /** The names by number; the first two are {@code none} and {@code other}. */
  public synchronized List<String> names() {
    return List.copyOf(names);
  }
}
