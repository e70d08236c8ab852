package io.forebay.server.origin.balance;

/** What policies know of an endpoint: its weight, and its load as seen by this event loop. */
public abstract class Candidate {
  private final long number;
  private int fullWeight;
  private int weight;
  private final PeakLatency latency = new PeakLatency();
  private int requests;

  /** Balance of {@link RoundRobin}. */
  long credit;

  /**
   * An endpoint without load.
   *
   * @param number identifies it, the same on every loop and node
   */
  protected Candidate(long number, int weight) {
    this.number = number;
    this.fullWeight = weight;
    this.weight = weight;
  }

  final long number() {
    return number;
  }

  /** Share of the requests, relative to the others; at least 1. */
  public final int weight() {
    return weight;
  }

  /** Changes the weight that it has in full. */
  protected final void changeWeight(int newWeight) {
    fullWeight = newWeight;
    weight = newWeight;
  }

  /**
   * Gives it a part of its weight. Weights are compared with each other, so all candidates of a
   * policy are scaled, or none.
   *
   * @param percent 1 to 100
   */
  protected final void scaleWeight(int percent) {
    weight = fullWeight * percent;
  }

  /** How long it takes to begin its responses. */
  public final PeakLatency latency() {
    return latency;
  }

  /** Requests in progress, with those that wait for their connection. */
  public final int requests() {
    return requests;
  }

  /** A request was assigned. */
  public final void addRequest() {
    requests++;
  }

  /** A request ended, or was assigned to another endpoint. */
  public final void removeRequest() {
    requests--;
  }
}
