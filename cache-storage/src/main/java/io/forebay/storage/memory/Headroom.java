package io.forebay.storage.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * How much memory may still be allocated. Beyond a control group's limit, a write to tmpfs is not
 * refused: the kernel kills the process.
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

  /** Refuses what would not fit in a directory's file system, or in a control group. */
  public void require(Path directory, long lengthBytes, String what) throws IOException {
    long free = Files.getFileStore(directory).getUsableSpace();
    OptionalLong group = bytes();
    if (free < lengthBytes || (group.isPresent() && group.getAsLong() < lengthBytes)) {
      throw new NoSpaceException(
          String.format(
              Locale.ROOT,
              "%s needs %d MiB and %s has %d MiB free: free some space or configure fewer entries",
              what,
              lengthBytes >> 20,
              free < lengthBytes ? directory : "the control group",
              (free < lengthBytes ? free : group.getAsLong()) >> 20));
    }
  }
}
