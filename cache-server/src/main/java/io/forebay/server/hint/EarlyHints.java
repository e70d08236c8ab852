package io.forebay.server.hint;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.LinkField;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * The fields of a 103 made from those of a stored response: the links that browsers act on before a
 * response (preload, modulepreload, preconnect), and the policies under which they fetch them.
 */
public final class EarlyHints {

  static final int MAX_LINKS = 16;

  /** Of names and values. */
  static final int MAX_BYTES = 4096;

  private static final Set<String> RELATIONS = Set.of("preload", "modulepreload", "preconnect");

  /** Browsers apply these of a 103 to what it makes them fetch. */
  private static final List<String> POLICIES =
      List.of("content-security-policy", "cross-origin-embedder-policy", "referrer-policy");

  private EarlyHints() {}

  /**
   * The fields of a 103, or none at all where there is nothing to say or the policies are too long.
   *
   * @param stored of a response with status 200
   */
  public static HeaderFields of(HeaderFields stored) {
    HeaderFields.Builder fields = HeaderFields.builder();
    int room = MAX_BYTES;
    for (String name : POLICIES) {
      for (String value : stored.all(name)) {
        room -= name.length() + value.length();
        fields.add(name, value);
      }
    }
    int links = 0;
    for (String line : stored.all("link")) {
      for (LinkField.Link link : LinkField.membersOf(line)) {
        int length = "link".length() + link.text().length();
        if (isHint(link) && links < MAX_LINKS && length <= room) {
          fields.add("link", link.text());
          links++;
          room -= length;
        }
      }
    }
    return links == 0 || room < 0 ? HeaderFields.EMPTY : fields.build();
  }

  private static boolean isHint(LinkField.Link link) {
    return !link.hasAnchor() && !Collections.disjoint(link.relations(), RELATIONS);
  }
}
