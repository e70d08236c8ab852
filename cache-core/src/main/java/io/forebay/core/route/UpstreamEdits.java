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
   * Path and query that the origin is asked for.
   *
   * @param request what a fill asks, or the client's where it is passed
   */
  String target(RequestView request);

  /** The fields that the origin gets. */
  HeaderFields fields(RequestView request, HeaderFields fields);

  /** The origin that gets a copy, or null. */
  default @Nullable Mirror mirror() {
    return null;
  }
}
