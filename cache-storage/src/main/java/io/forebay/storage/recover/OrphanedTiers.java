package io.forebay.storage.recover;

import io.forebay.storage.file.DefaultMemoryDirectory;
import io.forebay.storage.lock.DirectoryInUseException;
import io.forebay.storage.lock.DirectoryLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds default memory directories that no start will use again: their data directory is gone or
 * names another one. Only directories of this user that no process has locked. Any thread; blocks
 * for the file system.
 */
public final class OrphanedTiers {
  private final DefaultMemoryDirectory places;

  public OrphanedTiers(DefaultMemoryDirectory places) {
    this.places = places;
  }

  /**
   * One of them.
   *
   * @param bytes that its files take
   * @param data the data directory that it was made for
   * @param why it is an orphan, for people
   */
  public record Orphan(Path directory, long bytes, Path data, String why) {}

  public List<Orphan> find() throws IOException {
    List<Orphan> found = new ArrayList<>();
    for (Path directory : places.directories()) {
      Orphan orphan = orphan(directory);
      if (orphan != null) {
        found.add(orphan);
      }
    }
    return found;
  }

  /**
   * Removes one, with what it holds.
   *
   * @return false if it is in use by now, or gone
   */
  public boolean remove(Orphan orphan) throws IOException {
    try (DirectoryLock _ = DirectoryLock.take(orphan.directory())) {
      if (!orphan.data().equals(places.owner(orphan.directory()))
          || why(orphan.directory(), orphan.data()) == null) {
        return false;
      }
      DefaultMemoryDirectory.remove(orphan.directory());
      return true;
    } catch (DirectoryInUseException e) {
      return false;
    }
  }

  private @Nullable Orphan orphan(Path directory) throws IOException {
    Path data = places.owner(directory);
    String why = data == null || isLocked(directory) ? null : why(directory, data);
    return data == null || why == null ? null : new Orphan(directory, bytes(directory), data, why);
  }

  private @Nullable String why(Path directory, Path data) throws IOException {
    if (Files.notExists(data)) {
      return "its data directory is gone";
    }
    Path recorded = places.recorded(data);
    if (!Files.isDirectory(data) || directory.equals(recorded)) {
      return null;
    }
    // A start makes the directory before it records and locks it.
    if (isLocked(data) && (recorded == null || !isLocked(recorded))) {
      return null;
    }
    return recorded == null
        ? "its data directory names no memory directory"
        : "its data directory names " + recorded;
  }

  private static boolean isLocked(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return false;
    }
    try {
      DirectoryLock.share(directory).close();
      return false;
    } catch (DirectoryInUseException e) {
      return true;
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  private static long bytes(Path directory) throws IOException {
    long sum = 0;
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        sum += Files.isRegularFile(file) ? Files.size(file) : 0;
      }
    }
    return sum;
  }
}
