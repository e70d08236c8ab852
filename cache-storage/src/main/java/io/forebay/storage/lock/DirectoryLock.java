package io.forebay.storage.lock;

import io.forebay.storage.file.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * An exclusive lock of a directory. The operating system ties the lock to the process, and closing
 * any channel to the file releases it: no other code opens the file, and a second attempt in this
 * process fails before it does.
 */
public final class DirectoryLock implements AutoCloseable {
  public static final String NAME = "owner.lock";

  private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

  private final Path file;
  private final FileChannel channel;
  private final FileLock lock;

  private DirectoryLock(Path file, FileChannel channel, FileLock lock) {
    this.file = file;
    this.channel = channel;
    this.lock = lock;
  }

  public static DirectoryLock take(Path directory) throws IOException {
    return take(directory, true);
  }

  /**
   * The same.
   *
   * @param hasName whether the file says which process it is, for the error of others. Files of
   *     hugetlbfs can be locked, but not written
   */
  public static DirectoryLock take(Path directory, boolean hasName) throws IOException {
    Path file = directory.toRealPath().resolve(NAME);
    if (!OWN.add(file)) {
      throw owned(directory, Long.toString(ProcessHandle.current().pid()));
    }
    FileChannel channel = null;
    boolean done = false;
    try {
      channel = PrivateFiles.openOrCreate(file);
      FileLock lock = channel.tryLock();
      if (lock == null) {
        throw owned(directory, Files.readString(file).trim());
      }
      if (hasName) {
        channel.truncate(0);
        byte[] pid = (ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII);
        channel.write(ByteBuffer.wrap(pid), 0);
      }
      done = true;
      return new DirectoryLock(file, channel, lock);
    } finally {
      if (!done) {
        close(channel);
        OWN.remove(file);
      }
    }
  }

  /**
   * Keeps owners away while files are read that have none; several readers may. Writes nothing: it
   * opens the file only to read it, and where there is none nobody ever owned the directory.
   */
  public static AutoCloseable share(Path directory) throws IOException {
    Path file = directory.toRealPath().resolve(NAME);
    if (!PrivateFiles.exists(file)) {
      return () -> {};
    }
    if (!OWN.add(file)) {
      throw owned(directory, Long.toString(ProcessHandle.current().pid()));
    }
    FileChannel channel = null;
    boolean done = false;
    try {
      channel = PrivateFiles.openToRead(file);
      FileLock lock = channel.tryLock(0, Long.MAX_VALUE, true);
      if (lock == null) {
        throw owned(directory, Files.readString(file).trim());
      }
      FileChannel shared = channel;
      done = true;
      return () -> {
        shared.close();
        OWN.remove(file);
      };
    } finally {
      if (!done) {
        close(channel);
        OWN.remove(file);
      }
    }
  }

  private static DirectoryInUseException owned(Path directory, String pid) {
    return new DirectoryInUseException(
        directory
            + " is in use by "
            + (isRunning(pid)
                ? "process " + pid
                : "another process, possibly one that only reads it")
            + ": stop it or name another directory");
  }

  /** Readers leave the number of the last owner in the file; that one has ended. */
  private static boolean isRunning(String pid) {
    return pid.matches("[0-9]{1,18}") && ProcessHandle.of(Long.parseLong(pid)).isPresent();
  }

  private static void close(@Nullable FileChannel channel) throws IOException {
    if (channel != null) {
      channel.close();
    }
  }

  @Override
  public void close() throws IOException {
    // Any of it may fail where the file is gone with its disk.
    try {
      lock.release();
    } finally {
      try {
        channel.close();
      } finally {
        OWN.remove(file);
      }
    }
  }
}
