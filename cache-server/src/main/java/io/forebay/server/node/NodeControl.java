package io.forebay.server.node;

import java.io.IOException;
import java.util.List;

/** A running node as the admin API sees it: status, queries, purges and changes. Any thread. */
public interface NodeControl extends NodeStatus, NodeQueries, PurgeControl {

  /**
   * Takes a device offline, brings it online, or reinitialises it. Blocks while its disk works.
   *
   * @throws IllegalArgumentException when there is no such device
   * @throws IOException when the device fails
   */
  default void disk(String name, DiskAction action) throws IOException {
    throw new IllegalArgumentException("there is no disk named " + name);
  }

  /** What can be done to a device of the disk tier. */
  enum DiskAction {
    /** What is on it counts as missing until it is online again. */
    OFFLINE,
    /** In use again, as it was left, or empty if it missed too much. */
    ONLINE,
    /** Emptied, and in use. */
    REINIT
  }

  /** Reads the configuration again and swaps it in; a bad one changes nothing. */
  Reload reload();

  /**
   * Outcome of a reload.
   *
   * @param changed keys whose values differ from before
   * @param needsRestart keys whose values differ from those the node started with and that only
   *     take effect at the next start, whichever reload brought them
   * @param errors why it was refused; empty means it was applied
   */
  record Reload(long id, List<String> changed, List<String> needsRestart, List<String> errors) {}
}
