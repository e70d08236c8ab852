package io.forebay.storage.disk;

import io.forebay.storage.checkpoint.CheckpointReader;
import io.forebay.storage.checkpoint.CheckpointStamp;
import io.forebay.storage.checkpoint.CheckpointWriter;
import io.forebay.storage.index.DiskIndex;
import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.placement.StorageClasses;
import io.forebay.storage.purge.Purges;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checkpoint of one device: taken up by a start, begun and ended by a stop. Used by the thread
 * that opens or closes the device.
 */
final class DeviceCheckpoint {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceCheckpoint.class);

  private static final String NAME = "disk.checkpoint";

  /** How much of a device is known by it. */
  enum Restored {
    NOTHING,
    /** Records, but not all: the directories have to be read. */
    SOME,
    ALL
  }

  private final DeviceSettings settings;
  private final int number;
  private final byte[] storeIdentity;
  private final DeviceHeaderPages head;
  private final DeviceLog log;
  private final DiskIndex names;
  private final ObjectIndex.Cursor cursor;
  private final PendingTombstones tombstones;
  private final Purges purges;
  private final StorageClasses classes;
  private final Path file;
  private @Nullable CheckpointWriter writer;

  DeviceCheckpoint(
      DeviceSettings settings,
      int number,
      byte[] storeIdentity,
      DeviceHeaderPages head,
      DeviceLog log,
      DiskIndex names,
      ObjectIndex.Cursor cursor,
      PendingTombstones tombstones,
      Purges purges,
      StorageClasses classes) {
    this.settings = settings;
    this.number = number;
    this.storeIdentity = storeIdentity;
    this.head = head;
    this.log = log;
    this.names = names;
    this.cursor = cursor;
    this.tombstones = tombstones;
    this.purges = purges;
    this.classes = classes;
    this.file = settings.directory().resolve(NAME);
  }

  private CheckpointStamp stamp(long turn, long sequence) {
    return CheckpointStamp.of(
        storeIdentity,
        head.device(),
        number,
        settings.regionBytes(),
        settings.regionCount(),
        turn,
        sequence);
  }

  /**
   * Takes up what the stop before this start has left, if the device was left in order.
   *
   * @param isNamed whether the table has its names already; else it is empty
   */
  Restored restore(boolean isNamed) {
    long begin = System.nanoTime();
    try (CheckpointReader left =
        CheckpointReader.open(file, stamp(head.turn(), purges.foundReserved()))) {
      if (left == null) {
        return Restored.NOTHING;
      }
      ByteBuffer regions = left.regions();
      boolean isComplete = isNamed || fill(left);
      // Last: as long as nothing is known of the regions, every name counts.
      if (regions == null || !isComplete || !log.restore(regions)) {
        LOG.warn("disk {}: {} is damaged: the directories are read", settings.name(), file);
        return isNamed ? Restored.NOTHING : Restored.SOME;
      }
      LOG.info(
          "disk {}: {} MiB of {} taken up in {} ms",
          settings.name(),
          left.bytes() >> 20,
          file,
          (System.nanoTime() - begin) / 1_000_000);
      return Restored.ALL;
    } catch (IOException e) {
      LOG.warn("disk {}: {} cannot be read: {}", settings.name(), file, e.toString());
      return isNamed ? Restored.NOTHING : Restored.SOME;
    }
  }

  /** True if every record has its name. */
  private boolean fill(CheckpointReader left) throws IOException {
    int damaged =
        left.fill(
            names, task -> Thread.ofPlatform().name("checkpoint").daemon(true).unstarted(task));
    return damaged >= 0 && left.forEachCopy(number, this::name) && damaged == 0;
  }

  /** Names a record that memory had, too. */
  private void name(long high, long low, IndexValue found) {
    ObjectIndex.Outcome ignored =
        cursor.update(
            high,
            low,
            (isPresent, value) -> {
              if (isPresent) {
                // Another key with the same number.
                if (value.birth() >= found.birth()) {
                  tombstones.addTombstone(high, low, found.birth());
                  return ObjectIndex.Verdict.KEEP;
                }
                if (value.diskDevice() == number) {
                  tombstones.addTombstone(high, low, value.birth());
                }
              }
              value.copyFrom(found);
              return ObjectIndex.Verdict.PUT;
            });
  }

  /** What is there is of no use from here on. */
  void discard() {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      LOG.warn("disk {}: {} cannot be removed: {}", settings.name(), file, e.toString());
    }
  }

  /** Begins to write one. */
  void begin(BooleanSupplier isOver) {
    try {
      writer = CheckpointWriter.begin(file, isOver);
    } catch (IOException e) {
      LOG.warn("disk {}: {} cannot be written: {}", settings.name(), file, e.toString());
    }
  }

  /** Notes a record that memory has, too. */
  void add(long high, long low, IndexValue value) {
    CheckpointWriter begun = writer;
    if (begun != null) {
      begun.add(high, low, value);
    }
  }

  /** Ends what was begun: it counts with the next state that is written to the device's header. */
  void end() {
    CheckpointWriter begun = writer;
    writer = null;
    long begin = System.nanoTime();
    if (begun != null
        && begun.end(stamp(head.turn() + 1, purges.reserved()), log.save(classes.isAny()), names)) {
      LOG.info(
          "disk {}: {} written in {} ms",
          settings.name(),
          file,
          (System.nanoTime() - begin) / 1_000_000);
    }
  }

  /** There is to be none. */
  void abandon() {
    CheckpointWriter begun = writer;
    writer = null;
    if (begun != null) {
      begun.abandon();
    }
  }
}
