package io.forebay.lab.load.client;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** CPU of this process, its compilers and its collector included, in the phases that count. */
final class CpuMeter {
  private final OperatingSystemMXBean system =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  private final Phases phases;

  /** Boundaries that are behind us: as many as phases that have begun, and one for the end. */
  private int crossed;

  private long last;
  private long nanos;

  CpuMeter(Phases phases) {
    this.phases = phases;
  }

  /** When {@link #cross} is to be called next; {@link Long#MAX_VALUE} when all is measured. */
  long next() {
    if (crossed > phases.count()) {
      return Long.MAX_VALUE;
    }
    return crossed == phases.count() ? phases.end() : phases.beginOf(crossed);
  }

  /** A phase has begun, or the last one has ended. */
  void cross() {
    long now = system.getProcessCpuTime();
    if (crossed > 0 && phases.isMeasured(crossed - 1)) {
      nanos += now - last;
    }
    last = now;
    crossed++;
  }

  double seconds() {
    return nanos / 1e9;
  }
}
