package io.forebay.core.policy;

import io.forebay.core.http.FieldsView;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.HopByHop;
import io.forebay.core.http.HttpDate;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * Updates a stored header from a 304, or from the 200 to a HEAD (RFC 9111 §3.2, §4.3.4, §4.3.5).
 */
public final class Freshening {

  /**
   * What the integrity of the stored bytes hangs on: their length, their coding, their digests
   * (after a 304 by a weak tag those of the origin may be of other bytes) and their name among
   * versions. All else follows the origin, Content-Type too.
   */
  private static final Set<String> NEVER_UPDATED =
      Set.of(
          "content-digest",
          "content-encoding",
          "content-length",
          "content-md5",
          "content-range",
          "digest",
          "etag",
          "repr-digest");

  private Freshening() {}

  /**
   * The stored fields with each field of the new response in place of the stored ones of that name,
   * but for those that end at this hop or describe the stored bytes. The result is to be judged and
   * stored like the header of a new response; it has a Date and, where the new one had it, an Age.
   */
  public static HeaderFields update(
      HeaderFields stored, FieldsView received, long responseTimeMillis) {
    HopByHop hopByHop = HopByHop.ofResponse(received.all("connection"));
    HeaderFields.Builder updates = HeaderFields.builder();
    Set<String> updated = new HashSet<>();
    received.forEach((name, value) -> {
      String lowerCase = name.toString().toLowerCase(Locale.ROOT);
      if (!hopByHop.has(lowerCase) && !NEVER_UPDATED.contains(lowerCase)) {
        updates.add(lowerCase, value);
        updated.add(lowerCase);
      }
    });
    // The old Date would make the freshened response as old as the first one.
    if (updated.add("date")) {
      updates.add("date", HttpDate.format(responseTimeMillis));
    }
    HeaderFields.Builder result = HeaderFields.builder();
    stored.without(name -> updated.contains(name) || name.equals("age")).forEach(result::add);
    updates.build().forEach(result::add);
    return result.build();
  }
}
