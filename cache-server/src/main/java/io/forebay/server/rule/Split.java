package io.forebay.server.rule;

import io.forebay.server.network.IpAddress;
import java.util.List;
import java.util.function.Consumer;

/**
 * Puts each client into one of several groups, by something that stays the same: a cookie, a field
 * or its address. The same value is always in the same group, on every node and after every start;
 * groups have the shares of values that they are given. Who has no value is in the last group.
 * Immutable; allocates nothing in the fast lane.
 *
 * <pre>
 *   value ── hash with salt ──► 0 ... 9999 ──► group 0 | group 1 | ... | last group
 *                                              0        bound 0   ...   10000
 * </pre>
 *
 * A client can choose its group by choosing its value.
 */
public final class Split {

  /** Shares are counted in parts of this. */
  public static final int PARTS = 10_000;

  /** Only an exchange knows the group. */
  static final int LATER = -1;

  private static final long FNV_BASIS = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  /** What a group is drawn by. */
  public enum By {
    /** The address of the client; of IPv6 its first 64 bits. */
    CLIENT,
    /** The first cookie of a name. */
    COOKIE,
    /** The first line of a field. */
    HEADER
  }

  private final String name;
  private final By by;
  private final String field;
  private final long salted;
  private final List<String> groups;

  /** Where each group ends. */
  private final int[] bounds;

  /**
   * A split.
   *
   * @param field name of the cookie, or lower-case name of the field; else empty
   * @param salt makes splits by the same values independent of each other
   * @param groups their names
   * @param shares of the groups, {@link #PARTS} together
   */
  public Split(
      String name, By by, String field, String salt, List<String> groups, List<Integer> shares) {
    this.name = name;
    this.by = by;
    this.field = field;
    this.groups = List.copyOf(groups);
    long hash = FNV_BASIS;
    for (int i = 0; i < salt.length(); i++) {
      hash = step(hash, salt.charAt(i));
    }
    salted = step(hash, 0);
    bounds = new int[groups.size()];
    int end = 0;
    for (int i = 0; i < bounds.length; i++) {
      end += shares.get(i);
      bounds[i] = end;
    }
    if (end != PARTS) {
      throw new IllegalArgumentException("shares of " + name + " are " + end + " parts together");
    }
  }

  public String name() {
    return name;
  }

  /** The names of the groups. */
  public List<String> groups() {
    return groups;
  }

  /** Holds for clients of one of some groups, by their numbers. */
  public Condition condition(List<Integer> ofGroups) {
    long set = 0;
    for (int group : ofGroups) {
      set |= 1L << group;
    }
    return new InGroup(this, set);
  }

  /** The number of the client's group, or {@link #LATER}. */
  int group(RequestFacts facts) {
    return switch (by) {
      case CLIENT -> ofClient(facts);
      case HEADER -> {
        CharSequence line = facts.line(field, 0);
        yield line == null ? last() : ofValue(line, 0, line.length());
      }
      case COOKIE -> ofCookie(facts);
    };
  }

  private int last() {
    return bounds.length - 1;
  }

  private int ofClient(RequestFacts facts) {
    if (!facts.isAddressKnown()) {
      return LATER;
    }
    IpAddress address = facts.address();
    if (address == null || address.equals(IpAddress.UNKNOWN)) {
      return last();
    }
    // The host's part of an IPv6 address changes every day.
    long part = address.hi() == 0 ? address.lo() : address.hi();
    long hash = salted;
    for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
      hash = step(hash, (int) (part >>> shift) & 0xff);
    }
    return ofHash(hash);
  }

  private int ofCookie(RequestFacts facts) {
    int index = 0;
    CharSequence line = facts.line("cookie", index);
    while (line != null) {
      int at = 0;
      while (at < line.length()) {
        int end = indexOf(line, ';', at, line.length());
        while (at < end && line.charAt(at) == ' ') {
          at++;
        }
        int equals = indexOf(line, '=', at, end);
        if (equals < end && isNamed(line, at, equals)) {
          return ofValue(line, equals + 1, end);
        }
        at = end + 1;
      }
      line = facts.line("cookie", ++index);
    }
    return last();
  }

  private int ofValue(CharSequence text, int from, int to) {
    if (from == to) {
      return last();
    }
    long hash = salted;
    for (int i = from; i < to; i++) {
      hash = step(hash, text.charAt(i));
    }
    return ofHash(hash);
  }

  private int ofHash(long hash) {
    long mixed = (hash ^ hash >>> 33) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ mixed >>> 33) * 0xc4ceb9fe1a85ec53L;
    mixed ^= mixed >>> 33;
    int part = (int) ((mixed >>> 1) % PARTS);
    int group = 0;
    while (part >= bounds[group]) {
      group++;
    }
    return group;
  }

  private static long step(long hash, int c) {
    return (hash ^ c) * FNV_PRIME;
  }

  private static int indexOf(CharSequence text, char c, int from, int to) {
    int at = from;
    while (at < to && text.charAt(at) != c) {
      at++;
    }
    return at;
  }

  private boolean isNamed(CharSequence text, int from, int to) {
    if (to - from != field.length()) {
      return false;
    }
    for (int i = 0; i < field.length(); i++) {
      if (text.charAt(from + i) != field.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public String toString() {
    return name;
  }

  private record InGroup(Split split, long groups) implements Condition {

    @Override
    public int test(RequestFacts facts) {
      int group = split.group(facts);
      return group == Split.LATER ? LATER : (groups >>> group & 1) == 0 ? NO : YES;
    }

    @Override
    public int cost() {
      return 12;
    }

    @Override
    public void parts(Consumer<RequestPart> each) {
      each.accept(new RequestPart(RequestPart.Kind.SPLIT, split.name()));
    }
  }
}
