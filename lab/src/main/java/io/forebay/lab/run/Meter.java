package io.forebay.lab.run;

import io.forebay.lab.host.HostRecord;
import java.util.List;
import java.util.function.Supplier;

/** Measures the machine while a step runs. */
@FunctionalInterface
interface Meter {

  /** Begins to measure; the suppliers name processes at the moment. */
  Recording start(
      Supplier<List<ProcessHandle>> server,
      Supplier<List<ProcessHandle>> origin,
      Supplier<List<ProcessHandle>> client);

  /** A measurement that goes on. Closing ends it; it may be stopped before. */
  interface Recording extends AutoCloseable {

    /** The total begins here. */
    void mark();

    HostRecord stop();

    @Override
    void close();
  }
}
