package io.forebay.storage.evict;

/** What lanes and the reclaim thread share of eviction. */
public record Eviction(SegmentPolicy policy, GhostFilter ghosts, Sample sample) {
  /** With how many touches a record of this object starts. */
  public int firstTouches(long object) {
    return policy.firstTouches(ghosts.mayContain(object));
  }
}
