package io.forebay.storage.memory;

import java.util.OptionalLong;

/**
 * How much memory may still be taken before the kernel ends the process: over a control group's
 * limit a write to tmpfs is not refused, the process is killed.
 */
public final class Headroom {
  private final ControlGroups groups;

  public Headroom() {
    this(ControlGroups.system());
  }

  Headroom(ControlGroups groups) {
    this.groups = groups;
  }

  /** The smallest room that any enclosing control group leaves; empty if none limits memory. */
  public OptionalLong bytes() {
    return groups.limited().stream().mapToLong(ControlGroups.Limited::roomBytes).min();
  }
}
