package io.forebay.server.rule;

import io.forebay.core.http.FieldsView;
import java.util.BitSet;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A condition on the response of the origin. All parts must hold; those that are null or empty do.
 *
 * @param statuses the statuses it holds for, or null for any
 * @param contentType of the media type without parameters, in lower case, or null
 * @param headers by name in lower case: one line of the field passes
 */
public record ResponseCondition(
    @Nullable BitSet statuses,
    @Nullable TextMatcher contentType,
    Map<String, TextMatcher> headers) {

  boolean holds(int status, FieldsView fields) {
    if (statuses != null && !statuses.get(status)) {
      return false;
    }
    if (contentType != null && !isMediaType(fields, contentType)) {
      return false;
    }
    return headers.entrySet().stream()
        .allMatch(header ->
            fields.all(header.getKey()).stream()
                .anyMatch(line ->
                    header.getValue().test(line, 0, line.length(), false) == Condition.YES));
  }

  private static boolean isMediaType(FieldsView fields, TextMatcher test) {
    CharSequence line = fields.first("content-type");
    if (line == null) {
      return false;
    }
    String type = line.toString().split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    return test.test(type, 0, type.length(), false) == Condition.YES;
  }
}
