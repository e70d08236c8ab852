package io.forebay.lab.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.lab.origin.OriginOptions;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One origin for all beds that want the same one. */
final class SharedOriginTest {
  private static final OriginOptions OTHER = new OriginOptions(0, 2, 0, 0, 0, 3600, false, 1);

  private final List<String> events = new ArrayList<>();
  private List<ProcessHandle> processes = List.of(ProcessHandle.current());

  private SharedOrigin shared() {
    return new SharedOrigin(options -> new Fake(options.threads()));
  }

  private final class Fake implements OriginStarter.Running {
    private final int threads;

    Fake(int threads) {
      this.threads = threads;
      events.add("start " + threads);
    }

    @Override
    public URI address() {
      return URI.create("http://127.0.0.1:900" + threads);
    }

    @Override
    public long requests() {
      return 7;
    }

    @Override
    public List<ProcessHandle> processes() {
      return processes;
    }

    @Override
    public void close() {
      events.add("stop " + threads);
    }
  }

  @Test
  void goesOnForTheNextBedWithTheSameOptions() throws Exception {
    try (SharedOrigin shared = shared()) {
      for (int bed = 0; bed < 2; bed++) {
        try (OriginStarter.Running origin = shared.start(OriginOptions.DEFAULT)) {
          assertEquals(URI.create("http://127.0.0.1:9001"), origin.address());
          assertEquals(7, origin.requests());
        }
      }
      assertEquals(List.of("start 1"), events);
    }
    assertEquals(List.of("start 1", "stop 1"), events);
  }

  @Test
  void givesWayToOneWithOtherOptions() throws Exception {
    try (SharedOrigin shared = shared()) {
      shared.start(OriginOptions.DEFAULT).close();
      shared.start(OTHER).close();
    }
    assertEquals(List.of("start 1", "stop 1", "start 2", "stop 2"), events);
  }

  @Test
  void isStartedAgainWhenItHasEnded() throws Exception {
    Process ended = new ProcessBuilder("true").start();
    ended.waitFor();
    try (SharedOrigin shared = shared()) {
      shared.start(OriginOptions.DEFAULT).close();
      processes = List.of(ended.toHandle());
      shared.start(OriginOptions.DEFAULT).close();
    }
    assertEquals(List.of("start 1", "stop 1", "start 1", "stop 1"), events);
  }

  @Test
  void nothingIsStoppedThatWasNotStarted() throws IOException {
    shared().close();

    assertEquals(List.of(), events);
  }
}
