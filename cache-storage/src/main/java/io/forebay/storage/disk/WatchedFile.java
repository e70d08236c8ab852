package io.forebay.storage.disk;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A device's file, with a watch on how long it takes to answer: nothing reaches the device past
 * this, so no thread can wait for it unseen.
 */
final class WatchedFile implements BlockFile {
  private final BlockFile file;
  private final DeviceHealth health;

  WatchedFile(BlockFile file, DeviceHealth health) {
    this.file = file;
    this.health = health;
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
  public void write(ByteBuffer from, long at) throws IOException {
    health.begin();
    try {
      file.write(from, at);
    } finally {
      health.end();
    }
  }

  @Override
  public void force() throws IOException {
    health.begin();
    try {
      file.force();
    } finally {
      health.end();
    }
  }

  @Override
  public long size() throws IOException {
    return file.size();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
