package io.forebay.server.explain;

import io.forebay.core.http.ByteRange.Satisfiable;
import io.forebay.server.exchange.PartialBody;
import io.forebay.server.response.ResponsePlan;
import io.forebay.storage.inspect.InspectedObject;
import io.forebay.storage.inspect.InspectedObject.Run;

/** Calculates which slices of a response are not stored, from an inspection of the object. */
final class MissingSlices {
  private MissingSlices() {}

  /** The first slice that is wanted and neither in memory nor on a disk; -1 if there is none. */
  static int firstMissing(InspectedObject object, ResponsePlan plan) {
    int sliceBytes = object.head().sliceBytes();
    int first = -1;
    if (object.slices().missing() == 0) {
      return first;
    }
    for (Satisfiable part : plan.wanted()) {
      for (Run run : object.slices().runs()) {
        long from = Math.max(run.from(), part.first() / sliceBytes);
        boolean isMissing = !run.isInMemory() && run.disk() == null;
        if (isMissing && from <= Math.min(run.to(), part.last() / sliceBytes)) {
          first = first < 0 ? (int) from : Math.min(first, (int) from);
        }
      }
    }
    return first;
  }

  /** Whether an exchange has a slice looked for before it sends the head. */
  static boolean isNear(int slice, ResponsePlan plan, int sliceBytes) {
    return (long) slice * sliceBytes < plan.from() + PartialBody.LOOKED_FOR * (long) sliceBytes;
  }

  /** The bytes that are asked of the origin first: whole slices, one after the other. */
  static Satisfiable run(
      InspectedObject object, ResponsePlan plan, int missing, long longestBytes) {
    int sliceBytes = object.head().sliceBytes();
    long total = object.head().totalLength();
    int last = missing;
    for (Run run : object.slices().runs()) {
      if (run.from() <= missing && missing <= run.to()) {
        last = run.to();
      }
    }
    long first = (long) missing * sliceBytes;
    long wanted = (plan.wanted().getLast().last() / sliceBytes + 1) * sliceBytes;
    long end = Math.min(Math.min((last + 1L) * sliceBytes, first + longestBytes), total);
    return new Satisfiable(first, Math.min(end, Math.max(first + 1, wanted)) - 1);
  }
}
