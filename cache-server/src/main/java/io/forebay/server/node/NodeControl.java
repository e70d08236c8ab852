package io.forebay.server.node;

import io.forebay.server.config.ConfigView;
import io.forebay.server.config.history.AcceptedConfig;
import io.forebay.server.origin.drain.DrainOrder;
import io.forebay.server.origin.drain.DrainOutcome;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A running node as the admin API sees it: status, queries, purges and changes. Any thread. */
public interface NodeControl extends NodeStatus, NodeQueries, PurgeControl {

  /**
   * Does something to a device of the disk tier. Blocks while its disk works.
   *
   * @throws IllegalArgumentException when there is no such device
   * @throws IllegalStateException when its state does not permit it
   * @throws IOException when the device fails
   */
  default void disk(String name, DiskAction action) throws IOException {
    throw new IllegalArgumentException("there is no disk named " + name);
  }

  /** What can be done to a device of the disk tier. */
  enum DiskAction {
    /** What is on it counts as missing until it is online again. */
    OFFLINE,
    /** In service again, as it was left, or empty if it missed too much. */
    ONLINE,
    /** Emptied, and in service. */
    REINIT,
    /** Takes no more records and moves what it holds elsewhere, until it is empty. */
    EVACUATE,
    /** Takes records again; what has moved stays where it is. */
    CANCEL_EVACUATION,
    /**
     * Another device is used in its place, as the configuration in force has it: only what is out
     * of service can be replaced.
     */
    REPLACE,
    /** A disk of the configuration in force comes into service. */
    ADD,
    /** Forgotten: only what was evacuated can be removed. */
    REMOVE;

    /** As in the admin API. */
    public String word() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The action of a word, or null. */
    public static @Nullable DiskAction of(String word) {
      for (DiskAction action : values()) {
        if (action.word().equals(word)) {
          return action;
        }
      }
      return null;
    }
  }

  /**
   * Takes a server of an origin out of service: when this returns, it gets no new request, also
   * after a restart. Blocks while a file is written.
   *
   * @throws IllegalArgumentException when there is no such server
   * @throws IllegalStateException when it may not be drained now, with the reason
   * @throws IOException when it could not be made durable; nothing was changed
   */
  default DrainOutcome drain(DrainOrder order) throws IOException {
    throw new IllegalArgumentException("there is no server " + order.server());
  }

  /** Takes a drained server back into service; throws as {@link #drain} does. */
  default DrainOutcome undrain(String server, @Nullable String origin) throws IOException {
    throw new IllegalArgumentException("there is no server " + server);
  }

  /** Reads the configuration again and swaps it in; a bad one changes nothing. Blocks for files. */
  Reload reload(ReloadOrder order);

  /**
   * What is asked of a reload.
   *
   * @param author {@code signal}, or who called the admin API
   * @param isDryRun whether the outcome is only found out
   * @param number of the accepted configuration to go back to; 0 to read the configuration anew
   */
  record ReloadOrder(String author, boolean isDryRun, long number) {
    /** The configuration is read anew and put in force. */
    public static ReloadOrder by(String author) {
      return new ReloadOrder(author, false, 0);
    }
  }

  /**
   * Outcome of a reload.
   *
   * @param id counts reloads; 0 for a dry run
   * @param changed keys whose values differ from before
   * @param changesKeys those of them that may give requests another cache key, so that what is
   *     stored is not found any more
   * @param needsRestart keys whose values differ from those the node started with and that only
   *     take effect at the next start, whichever reload brought them
   * @param errors why it was refused; empty means it was applied, or would be
   */
  record Reload(
      long id,
      List<String> changed,
      List<String> changesKeys,
      List<String> needsRestart,
      List<String> errors) {
    /** It was refused. */
    public static Reload refused(long id, List<String> errors) {
      return new Reload(id, List.of(), List.of(), List.of(), errors);
    }
  }

  /**
   * The last configurations that were accepted, the oldest first; the last one is in force, unless
   * it could not be written.
   */
  List<AcceptedConfig> acceptedConfigs();

  /**
   * What differs between two accepted configurations.
   *
   * @throws java.util.NoSuchElementException when there is no such configuration
   * @throws IllegalStateException when this version of the node refuses one of them
   * @throws IOException when one cannot be read
   */
  List<ConfigView.Change> configChanges(long from, long to) throws IOException;
}
