package io.forebay.core.route;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import org.jspecify.annotations.Nullable;

/**
 * Changes of a request on its way to the origin, behind the key: what is stored is stored under the
 * URL that the client asked for.
 */
public interface UpstreamEdits {

  /**
   * What the origin is asked.
   *
   * @param request what a fill asks, or the client's where it is passed
   * @param fields that the origin would get
   */
  Edited edited(RequestView request, HeaderFields fields);

  /** The origin that gets a copy, or null. */
  default @Nullable Mirror mirror() {
    return null;
  }

  /**
   * A request to the origin.
   *
   * @param target path and query, or {@link #NOT_SENT}
   */
  record Edited(String target, HeaderFields fields) {

    /** In place of a target: the request must not be sent. */
    public static final String NOT_SENT = "";

    /** As it was asked. */
    public static Edited none(RequestView request, HeaderFields fields) {
      String query = request.query();
      return new Edited(query == null ? request.path() : request.path() + "?" + query, fields);
    }
  }
}
