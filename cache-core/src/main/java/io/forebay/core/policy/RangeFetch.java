package io.forebay.core.policy;

import io.forebay.core.http.ByteRange.Satisfiable;
import io.forebay.core.http.RangeSet;
import io.forebay.core.http.RequestView;
import io.forebay.core.route.RangeSettings;
import io.forebay.core.route.RangeSettings.Fetch;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a range of a body that is not stored is fetched in slices, and which slices come
 * first.
 *
 * <pre>
 *   slices    |     |     |     |     |     |     |     |
 *   wanted                [ ------------------- )
 *   asked for          [-----------)                        whole slices, one run at most
 * </pre>
 *
 * The first answer tells length and validator; what is wanted beyond it is fetched as what a stored
 * object lacks.
 */
public final class RangeFetch {

  /** No body reaches so far, and a run more is still a number. */
  private static final long FARTHEST = 1L << 60;

  private RangeFetch() {}

  /**
   * The bytes to request, or null to fetch the whole body.
   *
   * @param runBytes what is asked for at most, at least a slice
   */
  public static @Nullable Satisfiable of(
      RequestView request, RangeSettings settings, int sliceBytes, long runBytes) {
    RangeSet ranges =
        settings.fetch() == Fetch.WHOLE || !request.method().equals("GET")
            ? null
            : RangeSet.of(request, settings.maxRanges());
    if (ranges == null) {
      return null;
    }
    RangeSet.Spec wanted = ranges.specs().getFirst();
    if (wanted.isSuffix()) {
      // Where it begins only the length tells, and the first slice tells that.
      return new Satisfiable(0, sliceBytes - 1);
    }
    if (settings.fetch() == Fetch.FAR && wanted.first() < settings.farBytes()) {
      return null;
    }
    long first = Math.min(wanted.first(), FARTHEST) / sliceBytes * sliceBytes;
    long run = Math.max(1, runBytes / sliceBytes) * sliceBytes;
    long end = Math.min(wanted.last(), FARTHEST) / sliceBytes * sliceBytes + sliceBytes;
    return new Satisfiable(first, Math.min(end, first + run) - 1);
  }
}
