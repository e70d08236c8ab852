package io.forebay.server.ring;

import io.forebay.storage.file.PrivateFiles;
import io.forebay.storage.memory.MappedFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rings of a node: one file for each loop in one directory. A start keeps the files of the
 * process before it under another name, if that process had a request, and removes those that were
 * kept until then. So a directory holds the files of two processes at most.
 *
 * <pre>
 *  requests-0.ring            of the process that runs, or ran last
 *  requests-0.ring.previous   of the one before
 * </pre>
 */
public final class RingFiles implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RingFiles.class);

  private static final Pattern NAME = Pattern.compile("requests-(\\d{1,6})\\.ring(\\.previous)?");
  private static final String PREVIOUS = ".previous";

  /** A file is never smaller. */
  public static final long MIN_BYTES = 64 << 10;

  private final @Nullable Path directory;
  private final List<RingWriter> writers;
  private final LongSupplier clockMillis;
  private boolean isClosed;

  private RingFiles(@Nullable Path directory, List<RingWriter> writers, LongSupplier clockMillis) {
    this.directory = directory;
    this.writers = writers;
    this.clockMillis = clockMillis;
  }

  /** No rings. */
  public static RingFiles none() {
    return new RingFiles(null, List.of(), () -> 0);
  }

  /**
   * Makes the rings of a start. Where that fails, the node runs without them and the log says why:
   * they are to look at requests, and no reason not to serve any. The caller owns the directory's
   * lock.
   *
   * @param fileBytes of each file; 0 for none
   */
  public static RingFiles open(
      @Nullable Path directory, int loops, long fileBytes, LongSupplier clockMillis) {
    if (fileBytes == 0) {
      return none();
    }
    if (directory == null) {
      LOG.warn("no request ring: the memory tier has no directory to hold its files");
      return none();
    }
    List<RingWriter> writers = new ArrayList<>();
    try {
      keepPrevious(directory);
      for (int loop = 0; loop < loops; loop++) {
        writers.add(
            RingWriter.create(
                directory.resolve("requests-" + loop + ".ring"),
                Math.max(MIN_BYTES, fileBytes),
                loop,
                clockMillis.getAsLong()));
      }
    } catch (IOException e) {
      LOG.warn("no request ring (access-log.ring): {}", e.getMessage());
      writers.forEach(RingWriter::close);
      remove(directory);
      return none();
    }
    return new RingFiles(directory, List.copyOf(writers), clockMillis);
  }

  /** The ring of a loop; null where there is none. */
  public @Nullable RingWriter forLoop(int loop) {
    return writers.isEmpty() ? null : writers.get(loop);
  }

  /** Where the files lie; null where there are none. */
  public @Nullable Path directory() {
    return directory;
  }

  /** Records since the start. */
  public long records() {
    return writers.stream().mapToLong(RingWriter::records).sum();
  }

  /** The files of a directory, in the order of loops: of its last process, or of the one before. */
  public static List<Path> find(Path directory, boolean isOfPrevious) throws IOException {
    return files(directory, isOfPrevious);
  }

  private static List<Path> files(Path directory, boolean isOfPrevious) throws IOException {
    record Numbered(int loop, Path file) {}
    List<Numbered> found = new ArrayList<>();
    try (Stream<Path> all = Files.list(directory)) {
      for (Path file : all.toList()) {
        Matcher name = NAME.matcher(Objects.requireNonNull(file.getFileName()).toString());
        if (name.matches() && (name.group(2) != null) == isOfPrevious) {
          found.add(new Numbered(Integer.parseInt(name.group(1)), file));
        }
      }
    }
    return found.stream()
        .sorted(Comparator.comparingInt(Numbered::loop))
        .map(Numbered::file)
        .toList();
  }

  /**
   * A start that served nothing, as each of a loop of failing starts does, does not take the place
   * of the process whose end matters.
   */
  private static void keepPrevious(Path directory) throws IOException {
    List<Path> last = files(directory, false);
    if (last.stream().anyMatch(RingFiles::hasRecords)) {
      for (Path file : files(directory, true)) {
        Files.deleteIfExists(file);
      }
      for (Path file : last) {
        Files.move(
            file,
            file.resolveSibling(file.getFileName() + PREVIOUS),
            StandardCopyOption.ATOMIC_MOVE);
      }
    } else {
      for (Path file : last) {
        Files.deleteIfExists(file);
      }
    }
  }

  private static boolean hasRecords(Path file) {
    if (!PrivateFiles.exists(file)) {
      return false;
    }
    try (MappedFile mapped = MappedFile.openToRead(file)) {
      return mapped.memory().byteSize() >= RingLayout.HEADER_LENGTH
          && mapped.memory().get(RingLayout.LONG, RingLayout.TAIL_OFFSET) > 0;
    } catch (IOException e) {
      return false;
    }
  }

  private static void remove(Path directory) {
    try {
      for (Path file : files(directory, false)) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      LOG.warn("{}: {}", directory, e.toString());
    }
  }

  /**
   * Notes an orderly stop in the files, which stay unless there was no request; the loops must have
   * ended.
   */
  @Override
  public void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    boolean isUsed = records() > 0;
    long now = clockMillis.getAsLong();
    writers.forEach(writer -> writer.close(now));
    Path used = directory;
    if (!isUsed && used != null) {
      remove(used);
    }
  }
}
