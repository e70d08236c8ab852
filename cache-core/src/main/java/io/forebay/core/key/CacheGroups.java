package io.forebay.core.key;

import java.util.ArrayList;
import java.util.List;
import org.greenbytes.http.sfv.ListElement;
import org.greenbytes.http.sfv.ParseException;
import org.greenbytes.http.sfv.Parser;
import org.greenbytes.http.sfv.StringItem;

/**
 * Parses the group names in Cache-Groups and Cache-Group-Invalidation (RFC 9875): lists of strings,
 * parameters ignored. A group belongs to the origin that names it.
 */
public final class CacheGroups {

  /** Groups beyond these are not known of a response; the RFC wants 32 at least. */
  public static final int MAX_GROUPS = 64;

  private static final int MAX_LENGTH = 16 * 1024;

  private CacheGroups() {}

  /** The names, each once; none where the field is malformed or has a member that is no string. */
  public static List<String> of(List<String> lines) {
    if (lines.isEmpty() || lines.stream().mapToLong(String::length).sum() > MAX_LENGTH) {
      return List.of();
    }
    List<String> groups = new ArrayList<>();
    try {
      for (ListElement<? extends Object> member : new Parser(lines).parseList().get()) {
        if (!(member instanceof StringItem group)) {
          return List.of();
        }
        if (groups.size() < MAX_GROUPS && !groups.contains(group.get())) {
          groups.add(group.get());
        }
      }
    } catch (ParseException e) {
      return List.of();
    }
    return List.copyOf(groups);
  }
}
