package io.forebay.storage.disk;

import io.forebay.storage.index.KeyHash;
import java.util.List;

/**
 * The disk tier.
 *
 * @param devices none: there is no disk tier
 * @param admission what of that which leaves memory is written to a disk
 * @param bytesPerDay bound of what is written, 0: none
 * @param keepMillis how long after its expiry an object on a disk still counts, so that it can be
 *     confirmed instead of fetched
 * @param stopMillis how long a stop goes on copying what only memory holds
 * @param opener how the devices' files are opened
 * @param keyHash by which the tables of the devices know keys
 * @param recoveryThreads by how many threads a device is taken up at a start; 0: as many as the
 *     CPUs allow
 */
public record DiskSettings(
    List<DeviceSettings> devices,
    Admission admission,
    long bytesPerDay,
    long keepMillis,
    long stopMillis,
    DiskTier.Opener opener,
    KeyHash keyHash,
    int recoveryThreads) {

  public static final DiskSettings NONE =
      new DiskSettings(
          List.of(), Admission.ALWAYS, 0, 0, 0, DiskTier.Opener.files(), KeyHash.STANDARD, 0);

  private static final long KEEP_MILLIS = 24 * 3_600_000L;
  private static final long STOP_MILLIS = 10_000;

  /** What is written to a disk when it leaves memory. */
  public enum Admission {
    /** Everything. */
    ALWAYS,
    /** What was asked for again while it was in memory. */
    SECOND_HIT
  }

  public DiskSettings {
    devices = List.copyOf(devices);
  }

  public static DiskSettings of(List<DeviceSettings> devices) {
    return new DiskSettings(
        devices,
        Admission.ALWAYS,
        0,
        KEEP_MILLIS,
        STOP_MILLIS,
        DiskTier.Opener.files(),
        KeyHash.STANDARD,
        0);
  }

  public DiskSettings with(Admission newAdmission, long newBytesPerDay) {
    return new DiskSettings(
        devices,
        newAdmission,
        newBytesPerDay,
        keepMillis,
        stopMillis,
        opener,
        keyHash,
        recoveryThreads);
  }

  public DiskSettings withKeepMillis(long newKeepMillis) {
    return new DiskSettings(
        devices,
        admission,
        bytesPerDay,
        newKeepMillis,
        stopMillis,
        opener,
        keyHash,
        recoveryThreads);
  }

  public DiskSettings withStopMillis(long newStopMillis) {
    return new DiskSettings(
        devices,
        admission,
        bytesPerDay,
        keepMillis,
        newStopMillis,
        opener,
        keyHash,
        recoveryThreads);
  }

  public DiskSettings withOpener(DiskTier.Opener newOpener) {
    return new DiskSettings(
        devices,
        admission,
        bytesPerDay,
        keepMillis,
        stopMillis,
        newOpener,
        keyHash,
        recoveryThreads);
  }

  /** By which the tables of the disks know keys; for tests, in which keys must share numbers. */
  public DiskSettings withKeyHash(KeyHash newKeyHash) {
    return new DiskSettings(
        devices,
        admission,
        bytesPerDay,
        keepMillis,
        stopMillis,
        opener,
        newKeyHash,
        recoveryThreads);
  }

  /** How many threads take a device up at a start; 0: as many as the CPUs allow. */
  public DiskSettings withRecoveryThreads(int threads) {
    return new DiskSettings(
        devices, admission, bytesPerDay, keepMillis, stopMillis, opener, keyHash, threads);
  }

  public long bytes() {
    long sum = 0;
    for (DeviceSettings device : devices) {
      sum += device.bytes();
    }
    return sum;
  }
}
