package io.forebay.lab.run;

import io.forebay.lab.origin.OriginOptions;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps an origin for the next bed that wants the same one. An origin remembers nothing of what it
 * was asked for, so one is as good as another, and its start takes longer than many a step.
 */
final class SharedOrigin implements OriginStarter {
  private final OriginStarter starter;
  private @Nullable OriginOptions options;
  private @Nullable Running running;

  SharedOrigin(OriginStarter starter) {
    this.starter = starter;
  }

  @Override
  public Running start(OriginOptions wanted) throws IOException, InterruptedException {
    Running kept = running;
    if (kept == null || !wanted.equals(options) || !isAlive(kept)) {
      close();
      kept = starter.start(wanted);
      running = kept;
      options = wanted;
    }
    return new Lent(kept);
  }

  /** One on another host is somebody else's affair. */
  private static boolean isAlive(Running origin) {
    return origin.processes().stream().allMatch(ProcessHandle::isAlive);
  }

  @Override
  public void close() throws IOException {
    Running ending = running;
    running = null;
    if (ending != null) {
      ending.close();
    }
  }

  /** For a bed. It goes on when the bed is closed. */
  private record Lent(Running origin) implements Running {

    @Override
    public URI address() {
      return origin.address();
    }

    @Override
    public long requests() throws IOException {
      return origin.requests();
    }

    @Override
    public List<ProcessHandle> processes() {
      return origin.processes();
    }

    @Override
    public void close() {}
  }
}
