package io.forebay.server.fill;

import io.forebay.core.policy.ResponsePolicy;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.exchange.LoopContext;
import io.forebay.storage.HeadSpec;
import io.forebay.storage.Install;
import io.forebay.storage.StoreLane;
import io.forebay.storage.StoredHead;
import java.util.List;
import java.util.TreeSet;

/**
 * What stands at a base key whose responses vary: the names of the selecting fields, in the order
 * in which they enter the variants' keys.
 */
final class VaryMarker {
  private VaryMarker() {}

  /**
   * The names a new response's variant is to be kept under: those of a marker already there and its
   * own, so that an origin which says now this, now that does not lose its variants. Expects the
   * base key in the loop's key builder.
   */
  static List<String> union(LoopContext loop, List<String> selectingFields) {
    var keys = loop.keys();
    if (loop.lane().find(keys.hi(), keys.lo(), keys.text(), keys.textLength())
        != StoreLane.Found.HIT) {
      return selectingFields;
    }
    StoredHead head = loop.lane().head();
    TreeSet<String> names = new TreeSet<>(selectingFields);
    StoredMeta meta = loop.meta();
    if (meta.wrap(loop.store().region(head.region()), head.headOffset()) && meta.isVaryMarker()) {
      names.addAll(meta.selectingFields());
    }
    loop.lane().unpin(head.region());
    return names.size() > ResponsePolicy.MAX_SELECTING_FIELDS
        ? selectingFields
        : List.copyOf(names);
  }

  /**
   * Whether something stands at the base key that has to be read from a disk first. Expects the
   * base key in the loop's key builder.
   */
  static boolean isOnDisk(LoopContext loop) {
    var keys = loop.keys();
    StoreLane lane = loop.lane();
    StoreLane.Found found = lane.find(keys.hi(), keys.lo(), keys.text(), keys.textLength());
    if (found == StoreLane.Found.HIT) {
      lane.unpin(lane.head().region());
    }
    return found == StoreLane.Found.ON_DISK;
  }

  /** Writes the marker, unless one with the same names is there already. */
  static Install write(
      LoopContext loop, HeadSpec variant, FillKey base, byte[] baseText, List<String> names) {
    StoreLane lane = loop.lane();
    if (lane.find(base.hi(), base.lo(), baseText, baseText.length) == StoreLane.Found.HIT) {
      StoredHead head = lane.head();
      StoredMeta meta = loop.meta();
      boolean isSame =
          meta.wrap(loop.store().region(head.region()), head.headOffset())
              && meta.isVaryMarker()
              && meta.selectingFields().equals(names);
      lane.unpin(head.region());
      if (isSame) {
        return Install.INSTALLED;
      }
    }
    return lane.putMarker(
        new HeadSpec(
            base.hi(),
            base.lo(),
            baseText,
            baseText.length,
            StoredMeta.encodeVaryMarker(names, loop.nowMillis()),
            variant.scopes(),
            variant.birth(),
            variant.expiresAtMillis(),
            HeadSpec.Kind.VARY_MARKER,
            0));
  }
}
