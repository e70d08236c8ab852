package io.forebay.lab.load;

import java.io.IOException;

/** Makes load. Blocks until it is over; an interrupt ends it and all its processes. */
public interface LoadGenerator {

  /**
   * Runs a plan, and tells of what happens on the way.
   *
   * @param observer a generator that can't tell never calls it
   * @throws IOException when a client could not be started, or gave no outcome
   * @throws InterruptedException when the thread is interrupted; nothing is left running
   */
  LoadOutcome run(LoadPlan plan, Observer observer) throws IOException, InterruptedException;

  /** The same, without an observer. */
  default LoadOutcome run(LoadPlan plan) throws IOException, InterruptedException {
    return run(plan, Observer.NONE);
  }

  /** Is told while a load runs, by any thread. */
  interface Observer {

    /** The measured phases begin. Called once at most. */
    void measuring();

    /** A second is over at one of the clients. */
    void second(LoadOutcome.Second second);

    /** Does nothing. */
    Observer NONE =
        new Observer() {
          @Override
          public void measuring() {}

          @Override
          public void second(LoadOutcome.Second second) {}
        };
  }
}
