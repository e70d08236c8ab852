package io.forebay.storage.disk;

import java.util.List;

/** The regions written last, the youngest first. */
record RecentRegions(WrittenExtent last, WrittenExtent before, WrittenExtent beforeThat) {
  static final RecentRegions NONE =
      new RecentRegions(WrittenExtent.NONE, WrittenExtent.NONE, WrittenExtent.NONE);

  static RecentRegions of(List<WrittenExtent> youngestFirst) {
    return new RecentRegions(at(youngestFirst, 0), at(youngestFirst, 1), at(youngestFirst, 2));
  }

  private static WrittenExtent at(List<WrittenExtent> list, int n) {
    return n < list.size() ? list.get(n) : WrittenExtent.NONE;
  }

  /** Goes on to a younger region. */
  RecentRegions opened() {
    return new RecentRegions(WrittenExtent.NONE, last, before);
  }

  /** The youngest region has been written that far. */
  RecentRegions written(WrittenExtent far) {
    return new RecentRegions(far, before, beforeThat);
  }
}
