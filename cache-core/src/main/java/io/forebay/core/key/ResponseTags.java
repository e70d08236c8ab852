package io.forebay.core.key;

import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.FieldsView;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The tags that an origin put on a response: Surrogate-Key and xkey separated by blanks, Cache-Tag
 * by commas. Case-sensitive, bounded.
 *
 * @param groups names in Cache-Groups (RFC 9875)
 * @param isOverflow a tag was too long or there were too many; any tag purge then kills the object
 */
public record ResponseTags(List<String> values, List<String> groups, boolean isOverflow) {

  public static final int MAX_TAGS = 128;
  public static final int MAX_TAG_LENGTH = 256;

  /** Tags without groups. */
  public ResponseTags(List<String> values, boolean isOverflow) {
    this(values, List.of(), isOverflow);
  }

  public static ResponseTags of(FieldsView response) {
    Set<String> tags = new LinkedHashSet<>();
    boolean isComplete = addAll(tags, response.all("surrogate-key"), false);
    isComplete &= addAll(tags, response.all("xkey"), false);
    isComplete &= addAll(tags, response.all("cache-tag"), true);
    return new ResponseTags(
        List.copyOf(tags), CacheGroups.of(response.all("cache-groups")), !isComplete);
  }

  private static boolean addAll(Set<String> tags, List<String> lines, boolean byComma) {
    boolean isComplete = true;
    for (String line : lines) {
      int start = 0;
      for (int i = 0; i <= line.length(); i++) {
        if (i < line.length() && !isSeparator(line.charAt(i), byComma)) {
          continue;
        }
        String tag = FieldSyntax.trim(line, start, i);
        start = i + 1;
        if (tag.isEmpty()) {
          continue;
        }
        if (tag.length() > MAX_TAG_LENGTH || (tags.size() == MAX_TAGS && !tags.contains(tag))) {
          isComplete = false;
        } else {
          tags.add(tag);
        }
      }
    }
    return isComplete;
  }

  private static boolean isSeparator(char c, boolean byComma) {
    return byComma ? c == ',' : FieldSyntax.isWhitespace(c);
  }
}
