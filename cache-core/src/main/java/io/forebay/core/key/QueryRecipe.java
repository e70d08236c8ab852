package io.forebay.core.key;

import org.jspecify.annotations.Nullable;

/**
 * Which part of the query is in the key, and therefore in the request that a fill sends. If
 * parameters are sorted or removed, empty parameters ({@code &&}) and empty queries are removed as
 * well.
 *
 * @param isIgnored nothing of it
 * @param isSorted parameters by their names; those of one name keep their order
 * @param strip parameters that are left out
 * @param keep if not empty, the only parameters that are not
 */
public record QueryRecipe(
    boolean isIgnored, boolean isSorted, NamePatterns strip, NamePatterns keep) {

  /** The query as it was received. */
  public static final QueryRecipe AS_RECEIVED =
      new QueryRecipe(false, false, NamePatterns.NONE, NamePatterns.NONE);

  boolean isAsReceived() {
    return !isIgnored && !isSorted && strip.isEmpty() && keep.isEmpty();
  }

  boolean keeps(CharSequence query, int from, int to) {
    return (keep.isEmpty() || keep.matches(query, from, to)) && !strip.matches(query, from, to);
  }

  /** What is left of a query; null for nothing. */
  public @Nullable String canonical(@Nullable String query) {
    if (query == null || isAsReceived()) {
      return query;
    }
    QueryParameters parameters = new QueryParameters();
    parameters.select(query, this);
    return parameters.joined(query);
  }
}
