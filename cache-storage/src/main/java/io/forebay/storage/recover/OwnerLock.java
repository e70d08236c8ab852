package io.forebay.storage.recover;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * One owner a directory. The lock is the process's, so closing any channel to the file would give
 * it up: nothing else opens it, and a second attempt in this process is refused before it does.
 */
public final class OwnerLock implements AutoCloseable {
  public static final String NAME = "owner.lock";

  private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

  private final Path file;
  private final FileChannel channel;
  private final FileLock lock;

  private OwnerLock(Path file, FileChannel channel, FileLock lock) {
    this.file = file;
    this.channel = channel;
    this.lock = lock;
  }

  public static OwnerLock take(Path directory) throws IOException {
    Path file = directory.toRealPath().resolve(NAME);
    if (!OWN.add(file)) {
      throw owned(directory, Long.toString(ProcessHandle.current().pid()));
    }
    FileChannel channel = null;
    boolean done = false;
    try {
      channel =
          FileChannel.open(
              file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
      FileLock lock = channel.tryLock();
      if (lock == null) {
        throw owned(directory, Files.readString(file).trim());
      }
      channel.truncate(0);
      byte[] pid = (ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII);
      channel.write(ByteBuffer.wrap(pid), 0);
      done = true;
      return new OwnerLock(file, channel, lock);
    } finally {
      if (!done) {
        close(channel);
        OWN.remove(file);
      }
    }
  }

  private static OwnedException owned(Path directory, String pid) {
    return new OwnedException(
        directory
            + " is in use by process "
            + (pid.isEmpty() ? "unknown" : pid)
            + ": stop it or name another directory");
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
