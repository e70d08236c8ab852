package io.forebay.server.media;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An element of a manifest that says where segments are; all others are dropped while the document
 * is read.
 */
final class MpdElement {
  final String name;
  final Map<String, String> attributes;
  final List<MpdElement> children = new ArrayList<>(0);

  /** Of a SegmentTimeline: its S elements. */
  final List<Run> runs = new ArrayList<>(0);

  /** The text of a BaseURL. */
  String text = "";

  /**
   * Segments of equal duration that follow each other.
   *
   * @param time start of the first one, {@code ABSENT} for the end of the run before
   * @param duration of each
   * @param repeat how many follow the first one; negative: up to the next run or the end of the
   *     period
   * @param number of the first one, {@code ABSENT} for the next number
   */
  record Run(long time, long duration, long repeat, long number) {
    static final long ABSENT = -1;
  }

  MpdElement(String name, Map<String, String> attributes) {
    this.name = name;
    this.attributes = attributes;
  }

  /** The first child with this name, or null. */
  @Nullable MpdElement child(String wanted) {
    for (MpdElement child : children) {
      if (child.name.equals(wanted)) {
        return child;
      }
    }
    return null;
  }
}
