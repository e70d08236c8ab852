package io.forebay.lab.run;

import io.forebay.lab.origin.OriginOptions;
import java.io.IOException;
import java.net.URI;
import java.util.List;

/** Starts origins. */
@FunctionalInterface
interface OriginStarter {

  /** Returns when the origin answers. */
  Running start(OriginOptions options) throws IOException, InterruptedException;

  /** A started origin. Closing stops it and waits for its end. */
  interface Running extends AutoCloseable {
    URI address();

    /** Empty where it runs on another host. */
    List<ProcessHandle> processes();

    @Override
    void close() throws IOException;
  }
}
