package io.forebay.storage.evict;

import io.forebay.storage.ghost.GhostFilter;

/** Eviction state shared by lanes and the reclaim thread. */
public record EvictionState(SegmentPolicy policy, GhostFilter ghosts, SampleFilter sample) {
  /** With how many touches a record of this object starts. */
  public int firstTouches(long object) {
    return policy.firstTouches(ghosts.mayContain(object));
  }
}
