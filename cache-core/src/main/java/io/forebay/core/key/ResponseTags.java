package io.forebay.core.key;

import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.FieldsView;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Parses the cache tags of a response, case-sensitive and limited in number and size. Each field
 * has its own separators:
 *
 * <pre>
 *   Surrogate-Key                                               blanks
 *   Cache-Tag                                                   commas
 *   xkey, Cache-Tags, X-Cache-Tags, X-Drupal-Cache-Tags,
 *   Purge-Cache-Tags, X-Magento-Tags                            blanks and commas
 * </pre>
 *
 * @param groups names in Cache-Groups (RFC 9875)
 * @param isOverflow a tag was too long or there were too many; any tag purge then kills the object
 */
public record ResponseTags(List<String> values, List<String> groups, boolean isOverflow) {

  public static final int MAX_TAGS = 128;
  public static final int MAX_TAG_LENGTH = 256;

  private static final String GROUPS = "cache-groups";

  private static final Map<String, Separator> FIELDS =
      Map.of(
          "surrogate-key", Separator.BLANK,
          "cache-tag", Separator.COMMA,
          "xkey", Separator.EITHER,
          "cache-tags", Separator.EITHER,
          "x-cache-tags", Separator.EITHER,
          "x-drupal-cache-tags", Separator.EITHER,
          "purge-cache-tags", Separator.EITHER,
          "x-magento-tags", Separator.EITHER);

  /** Names of the fields that carry tags, and of the one with groups. */
  private static final String[] NAMES =
      Stream.concat(FIELDS.keySet().stream(), Stream.of(GROUPS)).toArray(String[]::new);

  private static final ResponseTags NONE = new ResponseTags(List.of(), List.of(), false);

  /** Tags without groups. */
  public ResponseTags(List<String> values, boolean isOverflow) {
    this(values, List.of(), isOverflow);
  }

  public static ResponseTags of(FieldsView response) {
    if (!hasAny(response)) {
      return NONE;
    }
    Set<String> tags = new LinkedHashSet<>();
    boolean isComplete = true;
    for (Map.Entry<String, Separator> field : FIELDS.entrySet()) {
      isComplete &= addAll(tags, response.all(field.getKey()), field.getValue());
    }
    return new ResponseTags(List.copyOf(tags), CacheGroups.of(response.all(GROUPS)), !isComplete);
  }

  /** Whether a response has a field with tags or groups. */
  private static boolean hasAny(FieldsView response) {
    for (String name : NAMES) {
      if (response.has(name)) {
        return true;
      }
    }
    return false;
  }

  /** The lower-case names of the fields that carry tags. */
  public static Set<String> fieldNames() {
    return FIELDS.keySet();
  }

  /** Whether a field, by its lower-case name, carries tags. */
  public static boolean isTagField(String name) {
    return FIELDS.containsKey(name);
  }

  /**
   * The tags in lines of a field, without bounds on their number.
   *
   * @param name in lower case
   * @throws IllegalArgumentException when the field carries no tags
   */
  public static List<String> inField(String name, List<String> lines) {
    Separator separator = FIELDS.get(name);
    if (separator == null) {
      throw new IllegalArgumentException("not a field of tags: " + name);
    }
    List<String> tags = new ArrayList<>();
    for (String line : lines) {
      split(line, separator, tags::add);
    }
    return tags;
  }

  private static boolean addAll(Set<String> tags, List<String> lines, Separator separator) {
    boolean[] isComplete = {true};
    for (String line : lines) {
      split(
          line,
          separator,
          tag -> {
            if (tag.length() > MAX_TAG_LENGTH || (tags.size() == MAX_TAGS && !tags.contains(tag))) {
              isComplete[0] = false;
            } else {
              tags.add(tag);
            }
          });
    }
    return isComplete[0];
  }

  private static void split(String line, Separator separator, Consumer<String> tags) {
    int start = 0;
    for (int i = 0; i <= line.length(); i++) {
      if (i < line.length() && !separator.is(line.charAt(i))) {
        continue;
      }
      String tag = FieldSyntax.trim(line, start, i);
      start = i + 1;
      if (!tag.isEmpty()) {
        tags.accept(tag);
      }
    }
  }

  private enum Separator {
    BLANK,
    COMMA,
    EITHER;

    boolean is(char c) {
      return (this != BLANK && c == ',') || (this != COMMA && FieldSyntax.isWhitespace(c));
    }
  }
}
