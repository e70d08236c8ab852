package io.forebay.storage.disk;

import io.forebay.storage.endurance.WriteHistory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * A device's file, with a watch on how long it takes to answer, and a count of what is written:
 * nothing reaches the device past this, so no thread can wait for it unseen.
 */
final class TimedFile implements BlockFile {
  private final BlockFile file;
  private final DeviceHealth health;
  private final PendingTombstones tombstones;
  private final WriteHistory history;

  TimedFile(
      BlockFile file, DeviceHealth health, PendingTombstones tombstones, WriteHistory history) {
    this.file = file;
    this.health = health;
    this.tombstones = tombstones;
    this.history = history;
  }

  @Override
  public void read(ByteBuffer into, long at) throws IOException {
    health.begin();
    try {
      file.read(into, at);
    } finally {
      health.end();
    }
  }

  @Override
  public int readWithin(ByteBuffer room, int length, long at) throws IOException {
    health.begin();
    try {
      return file.readWithin(room, length, at);
    } finally {
      health.end();
    }
  }

  /** Not watched: it never waits for the device. */
  @Override
  public boolean readCached(MemorySegment into, long at) {
    return file.readCached(into, at);
  }

  @Override
  public boolean mayReadCached() {
    return file.mayReadCached();
  }

  @Override
  public void write(ByteBuffer from, long at) throws IOException {
    int length = from.remaining();
    health.begin();
    try {
      file.write(from, at);
      history.add(length);
    } finally {
      health.end();
    }
  }

  @Override
  public boolean trim(long at, long length) throws IOException {
    health.begin();
    try {
      return file.trim(at, length);
    } finally {
      health.end();
    }
  }

  /**
   * After one that failed nobody knows what is on the device: the kernel counts what it could not
   * write as written, and the next force would succeed. So tombstones may be missing.
   */
  @Override
  public void force() throws IOException {
    health.begin();
    try {
      file.force();
    } catch (IOException e) {
      tombstones.lose();
      throw e;
    } finally {
      health.end();
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
