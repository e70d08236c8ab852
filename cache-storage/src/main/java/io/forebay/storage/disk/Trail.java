package io.forebay.storage.disk;

import java.util.List;

/** The regions written last, the youngest first. */
record Trail(Reach last, Reach before, Reach beforeThat) {
  static final Trail NONE = new Trail(Reach.NONE, Reach.NONE, Reach.NONE);

  static Trail of(List<Reach> youngestFirst) {
    return new Trail(at(youngestFirst, 0), at(youngestFirst, 1), at(youngestFirst, 2));
  }

  private static Reach at(List<Reach> list, int n) {
    return n < list.size() ? list.get(n) : Reach.NONE;
  }

  /** Goes on to a younger region. */
  Trail opened() {
    return new Trail(Reach.NONE, last, before);
  }

  /** The youngest region has been written that far. */
  Trail written(Reach far) {
    return new Trail(far, before, beforeThat);
  }
}
