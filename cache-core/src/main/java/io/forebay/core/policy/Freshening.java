package io.forebay.core.policy;

import io.forebay.core.http.FieldsView;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.HopByHop;
import io.forebay.core.http.HttpDate;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/** Updating a stored header from a 304 (RFC 9111 §3.2, §4.3.4). */
public final class Freshening {

  /** What describes the stored bytes themselves, which a 304 leaves as they are. */
  private static final Set<String> NEVER_UPDATED =
      Set.of("content-length", "content-encoding", "content-range", "content-type");

  private Freshening() {}

  /**
   * The stored fields with each field of the 304 in place of the stored ones of that name, but for
   * those that end at this hop or describe the stored bytes. The result is to be judged and stored
   * like the header of a new response; it has a Date and, where the 304 had one, an Age.
   */
  public static HeaderFields update(
      HeaderFields stored, FieldsView notModified, long responseTimeMillis) {
    HopByHop hopByHop = HopByHop.ofResponse(notModified.all("connection"));
    HeaderFields.Builder updates = HeaderFields.builder();
    Set<String> updated = new HashSet<>();
    notModified.forEach((name, value) -> {
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
