package io.forebay.lab.run;

import io.forebay.lab.origin.OriginOptions;
import java.io.IOException;
import java.net.URI;
import java.util.List;

/** Starts origins. */
@FunctionalInterface
interface OriginStarter extends AutoCloseable {

  /** Returns when the origin answers. */
  Running start(OriginOptions options) throws IOException, InterruptedException;

  /** Stops what outlives a bed. */
  @Override
  default void close() throws IOException {}

  /** A started origin. Closing stops it and waits for its end. */
  interface Running extends AutoCloseable {
    URI address();

    /**
     * How many requests it has answered; -1 where it runs on another host.
     *
     * @throws IOException when it has ended
     */
    long requests() throws IOException;

    /** Empty where it runs on another host. */
    List<ProcessHandle> processes();

    @Override
    void close() throws IOException;
  }
}
