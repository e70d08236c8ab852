package io.forebay.core.http;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.greenbytes.http.sfv.Dictionary;
import org.greenbytes.http.sfv.ListElement;
import org.greenbytes.http.sfv.ParseException;
import org.greenbytes.http.sfv.Parser;
import org.jspecify.annotations.Nullable;

/**
 * The cache directives that apply to a response: those of the first targeted field that is valid
 * and not empty; without one, those of Cache-Control (RFC 9213 §2.2).
 *
 * @param field the targeted field that decides, in lower case, or null for Cache-Control
 */
public record TargetedCacheControl(CacheControl control, @Nullable String field) {

  /** Of a targeted field's lines: longer ones count as malformed, since what decides is stored. */
  private static final int MAX_LENGTH = 512;

  private static final String SURROGATE_CONTROL = "surrogate-control";

  /**
   * Chooses for a response.
   *
   * @param targets names of targeted fields, lower case, those that go first at the front
   */
  public static TargetedCacheControl of(FieldsView response, List<String> targets) {
    for (String target : targets) {
      List<String> lines = response.all(target);
      CacheControl control = lines.isEmpty() ? null : parse(target, lines);
      if (control != null) {
        return new TargetedCacheControl(control, target);
      }
    }
    return new TargetedCacheControl(CacheControl.of(response), null);
  }

  public boolean isTargeted() {
    return field != null;
  }

  /** Whether the lines of a targeted field are short enough to be read at all. */
  public static boolean fits(String name, List<String> lines) {
    int length = 0;
    for (String line : lines) {
      // As the lines of a stored header.
      length += name.length() + line.length() + 4;
      if (length > MAX_LENGTH) {
        return false;
      }
    }
    return true;
  }

  private static @Nullable CacheControl parse(String name, List<String> lines) {
    if (!fits(name, lines)) {
      return null;
    }
    return name.equals(SURROGATE_CONTROL) ? SurrogateControl.parse(lines) : structured(lines);
  }

  /** A dictionary (RFC 9651 §3.2); parameters are ignored, and so is a field that is malformed. */
  private static @Nullable CacheControl structured(List<String> lines) {
    Dictionary dictionary;
    try {
      dictionary = new Parser(lines).parseDictionary();
    } catch (ParseException e) {
      return null;
    }
    Map<String, Object> directives = new HashMap<>();
    for (Map.Entry<String, ListElement<? extends Object>> member : dictionary.get().entrySet()) {
      directives.put(member.getKey(), member.getValue().get());
    }
    return directives.isEmpty() ? null : CacheControl.ofStructured(directives);
  }
}
