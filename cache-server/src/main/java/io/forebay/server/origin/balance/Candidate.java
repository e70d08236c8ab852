package io.forebay.server.origin.balance;

/** What policies know of an endpoint: its weight, and its load as seen by this event loop. */
public abstract class Candidate {
  private final int weight;
  private int requests;

  /** Balance of {@link RoundRobin}. */
  long credit;

  protected Candidate(int weight) {
    this.weight = weight;
  }

  /** Share of the requests, relative to the others; at least 1. */
  public final int weight() {
    return weight;
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
