package io.forebay.lab.load;

import java.io.IOException;

/** Makes load. Blocks until it is over; an interrupt ends it and all its processes. */
public interface LoadGenerator {

  /**
   * Runs a plan.
   *
   * @throws IOException when a client could not be started, or gave no outcome
   * @throws InterruptedException when the thread is interrupted; nothing is left running
   */
  LoadOutcome run(LoadPlan plan) throws IOException, InterruptedException;
}
