package io.forebay.lab.scenario;

/**
 * A figure that is found by raising something until a limit is crossed.
 *
 * @param from the first value that is tried
 * @param most the last one
 * @param growth by which the value is multiplied until the limit is crossed
 * @param refinements halvings of the gap between the last good value and the first bad one
 * @param limit of the response time, as a multiple of that of one connection; or of the byte hit
 *     ratio, 0 to 1
 * @param heldSeconds how long the found value is held; 0 for not at all
 * @param segments of each object that a channel has at a time (channels only)
 */
public record Search(
    By by,
    int from,
    int most,
    double growth,
    int refinements,
    double limit,
    double heldSeconds,
    long segments) {

  /** What is raised. */
  public enum By {
    /** While the mean response time stays within the limit. */
    CONNECTIONS,
    /** While the byte hit ratio stays at the limit or above. */
    CHANNELS
  }
}
