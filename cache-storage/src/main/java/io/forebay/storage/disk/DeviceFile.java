package io.forebay.storage.disk;

import io.forebay.storage.file.PrivateFiles;
import io.forebay.storage.layout.DeviceHeader;
import io.forebay.storage.lock.DirectoryLock;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A device's file and the lock of its directory: both are taken anew when a device that was away is
 * brought back, for what was open then leads to a file that may be gone.
 */
final class DeviceFile implements BlockFile {
  private static final String NAME = "disk.store";

  private final DeviceSettings settings;
  private final DiskTier.Opener opener;
  private final Path path;
  private volatile @Nullable BlockFile file;
  private @Nullable DirectoryLock lock;

  /** Whether something was written that may not have reached the device. */
  private volatile boolean isUnforced;

  private DeviceFile(DeviceSettings settings, DiskTier.Opener opener) {
    this.settings = settings;
    this.opener = opener;
    this.path = settings.directory().resolve(NAME);
  }

  static DeviceFile open(DeviceSettings settings, DiskTier.Opener opener) throws IOException {
    DeviceFile opened = new DeviceFile(settings, opener);
    opened.take();
    return opened;
  }

  private void take() throws IOException {
    PrivateFiles.createLastDirectory(settings.directory());
    DirectoryLock taken = DirectoryLock.take(settings.directory());
    boolean done = false;
    try {
      file =
          opener.open(
              settings,
              path,
              DeviceHeader.LENGTH + (long) settings.regionCount() * settings.regionBytes());
      lock = taken;
      done = true;
    } finally {
      if (!done) {
        taken.close();
      }
    }
  }

  /**
   * Opens it again, where it is by now.
   *
   * @return false if what was written before may be lost
   */
  boolean reopen() throws IOException {
    boolean isKept = isSafe();
    if (!opener.isThere(path)) {
      throw new IOException(path + " is missing: mount the disk, or empty it with reinit");
    }
    recreate();
    return isKept;
  }

  /** Opens it again, and makes it if it is not there. */
  void recreate() throws IOException {
    try {
      close();
    } catch (IOException e) {
      // What it led to is gone, or it would not be opened again.
      file = null;
    }
    take();
    isUnforced = false;
  }

  private boolean isSafe() {
    if (isUnforced) {
      try {
        force();
      } catch (IOException e) {
        return false;
      }
    }
    return true;
  }

  private BlockFile file() throws IOException {
    BlockFile open = file;
    if (open == null) {
      throw new IOException(path + " is not open");
    }
    return open;
  }

  @Override
  public void read(ByteBuffer into, long at) throws IOException {
    file().read(into, at);
  }

  @Override
  public int readWithin(ByteBuffer room, int length, long at) throws IOException {
    return file().readWithin(room, length, at);
  }

  @Override
  public boolean mayReadCached() {
    BlockFile open = file;
    return open != null && open.mayReadCached();
  }

  @Override
  public boolean readCached(MemorySegment into, long at) {
    BlockFile open = file;
    return open != null && open.readCached(into, at);
  }

  @Override
  public void write(ByteBuffer from, long at) throws IOException {
    isUnforced = true;
    file().write(from, at);
  }

  @Override
  public boolean trim(long at, long length) throws IOException {
    isUnforced = true;
    return file().trim(at, length);
  }

  @Override
  public void force() throws IOException {
    file().force();
    isUnforced = false;
  }

  @Override
  public void close() throws IOException {
    BlockFile open = file;
    DirectoryLock held = lock;
    file = null;
    lock = null;
    try {
      if (open != null) {
        open.close();
      }
    } finally {
      if (held != null) {
        held.close();
      }
    }
  }
}
