package io.forebay.server.fill;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.KnownField;
import java.util.ArrayList;
import java.util.List;

/**
 * Interim responses of a fill's origin, which its followers also receive. Added by the fill's event
 * loop, read by any.
 */
public final class InterimResponses {

  /** A response of the origin before the last one; a hint such as 103 (RFC 8297). */
  public record Interim(int status, HeaderFields fields) {}

  /** More are not kept. */
  private static final int MAX = 4;

  private final boolean isForAll;
  private volatile List<Interim> all = List.of();

  InterimResponses(FillRequest order) {
    // What an origin says to who is known to it is not for others; they have no head yet that
    // would say so (I7).
    this.isForAll =
        !order.isBackground()
            && !order.request().has(KnownField.COOKIE)
            && !order.request().has(KnownField.AUTHORIZATION);
  }

  /** Keeps one; false if it is not kept. */
  boolean add(int status, HeaderFields fields) {
    if (!isForAll || all.size() >= MAX) {
      return false;
    }
    List<Interim> more = new ArrayList<>(all);
    // A cookie is for the client whose request the origin is answering.
    more.add(new Interim(status, fields.without(name -> name.equals("set-cookie"))));
    all = List.copyOf(more);
    return true;
  }

  List<Interim> all() {
    return all;
  }
}
