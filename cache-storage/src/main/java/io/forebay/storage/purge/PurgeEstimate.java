package io.forebay.storage.purge;

import java.util.List;

/**
 * The result of a dry run of a purge: the number of matching objects per tier.
 *
 * @param parts memory first, then each disk: what is there and in no part before
 */
public record PurgeEstimate(List<Part> parts) {

  /**
   * One place.
   *
   * @param bytes of the objects' bodies
   * @param uncounted the part that was not counted, and why; empty if there is none
   */
  public record Part(String place, long objects, long bytes, String uncounted) {}

  public long objects() {
    return parts.stream().mapToLong(Part::objects).sum();
  }

  public long bytes() {
    return parts.stream().mapToLong(Part::bytes).sum();
  }

  public boolean isComplete() {
    return parts.stream().allMatch(part -> part.uncounted().isEmpty());
  }
}
