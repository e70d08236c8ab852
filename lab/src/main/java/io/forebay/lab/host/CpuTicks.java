package io.forebay.lab.host;

/**
 * CPU time as the kernel tells it.
 *
 * @param user mode
 * @param system mode, that of the kernel
 */
record CpuTicks(long user, long system) {
  /** In which the kernel counts towards programs, on all machines that matter (USER_HZ). */
  static final int A_SECOND = 100;

  static final CpuTicks NONE = new CpuTicks(0, 0);

  CpuTicks plus(CpuTicks other) {
    return new CpuTicks(user + other.user, system + other.system);
  }

  CpuTicks minus(CpuTicks other) {
    return new CpuTicks(user - other.user, system - other.system);
  }

  /** The larger one of each: counters do not fall. */
  CpuTicks orMore(CpuTicks other) {
    return new CpuTicks(Math.max(user, other.user), Math.max(system, other.system));
  }

  boolean isAtLeast(CpuTicks other) {
    return user >= other.user && system >= other.system;
  }

  long sum() {
    return user + system;
  }
}
