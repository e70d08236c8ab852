package io.forebay.server.logsink;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The old files of a log, beside it: {@code NAME.20260304T050607Z}, with {@code -1} and so on for
 * more than one of a second, and {@code .gz} once they are compressed. The youngest are kept.
 *
 * <p>{@link #take} is of the thread that writes the log. Removing and compressing happen on a
 * thread that lives while there is work; a process that ends in the middle leaves the work to the
 * next one.
 */
final class RotatedFiles implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RotatedFiles.class);
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);
  private static final String COMPRESSED = ".gz";
  private static final String UNFINISHED = ".part";
  private static final int BUFFER = 64 << 10;
  private static final Duration CLOSE_WAIT = Duration.ofSeconds(5);

  private final Path path;
  private final Path directory;
  private final Pattern names;
  private final int keep;
  private final boolean compresses;

  // Guarded by this.
  private @Nullable Thread worker;
  private boolean isWanted;

  private volatile boolean isClosed;

  /** What was taken last and may still be written to; null if nothing is. */
  private volatile @Nullable Path open;

  /** An old file: when it was rotated, and its place among those of that second. */
  private record Age(String stamp, int number) implements Comparable<Age> {
    @Override
    public int compareTo(Age other) {
      return Comparator.comparing(Age::stamp).thenComparingInt(Age::number).compare(this, other);
    }
  }

  /** The old files of the log at that absolute path. */
  RotatedFiles(Path path, int keep, boolean compresses) {
    this.path = path;
    this.directory = Objects.requireNonNull(path.getParent());
    this.keep = keep;
    this.compresses = compresses;
    names =
        Pattern.compile(
            Pattern.quote(String.valueOf(path.getFileName()))
                + "\\.(\\d{8}T\\d{6}Z)(?:-(\\d{1,6}))?(\\.gz|\\.gz\\.part)?");
  }

  /** Makes the log an old file. */
  void take(long nowMillis) throws IOException {
    String name = path + "." + STAMP.format(Instant.ofEpochMilli(nowMillis));
    Path target = Path.of(name);
    for (int i = 1; Files.exists(target) || Files.exists(Path.of(target + COMPRESSED)); i++) {
      target = Path.of(name + "-" + i);
    }
    Path before = open;
    open = target;
    try {
      Files.move(path, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      open = before;
      throw e;
    }
  }

  /** Has files removed and compressed, soon; the log is written to another file now. */
  synchronized void tidy() {
    open = null;
    isWanted = true;
    if (worker == null && !isClosed) {
      worker = Thread.ofPlatform().name("log-rotate").daemon().start(this::work);
    }
  }

  private void work() {
    while (takeWork()) {
      try {
        tidyNow();
      } catch (IOException | RuntimeException e) {
        LOG.warn("old files of {} are not removed or compressed: {}", path, e.toString());
      }
    }
  }

  private synchronized boolean takeWork() {
    boolean isMore = isWanted && !isClosed;
    isWanted = false;
    if (!isMore) {
      worker = null;
    }
    return isMore;
  }

  private void tidyNow() throws IOException {
    TreeMap<Age, List<Path>> all = new TreeMap<>(Comparator.reverseOrder());
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        Matcher matcher = names.matcher(String.valueOf(file.getFileName()));
        if (!matcher.matches()) {
          continue;
        }
        String end = matcher.group(3);
        if (end != null && end.endsWith(UNFINISHED)) {
          Files.deleteIfExists(file);
          continue;
        }
        String number = matcher.group(2);
        Age age = new Age(matcher.group(1), number == null ? 0 : Integer.parseInt(number));
        all.computeIfAbsent(age, _ -> new ArrayList<>()).add(file);
      }
    }
    int kept = 0;
    List<Path> plain = new ArrayList<>();
    for (List<Path> files : all.values()) {
      if (++kept > keep) {
        for (Path file : files) {
          if (!file.equals(open)) {
            Files.deleteIfExists(file);
          }
        }
      } else {
        files.stream().filter(file -> !file.toString().endsWith(COMPRESSED)).forEach(plain::add);
      }
    }
    for (Path file : plain) {
      if (compresses && !isClosed && !file.equals(open)) {
        compress(file);
      }
    }
  }

  private void compress(Path file) throws IOException {
    Path done = Path.of(file + COMPRESSED);
    if (!Files.exists(done)) {
      Path unfinished = Path.of(done + UNFINISHED);
      if (!copy(file, unfinished)) {
        Files.deleteIfExists(unfinished);
        return;
      }
      Files.move(unfinished, done, StandardCopyOption.ATOMIC_MOVE);
    }
    Files.delete(file);
  }

  /** Gives false if it was stopped. */
  private boolean copy(Path from, Path to) throws IOException {
    try (InputStream in = Files.newInputStream(from);
        FileChannel channel =
            FileChannel.open(
                to,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(Files.getPosixFilePermissions(from)))) {
      GZIPOutputStream out = new GZIPOutputStream(Channels.newOutputStream(channel), BUFFER);
      byte[] buffer = new byte[BUFFER];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (isClosed) {
          return false;
        }
        out.write(buffer, 0, read);
      }
      out.finish();
      // The plain file goes once this one is sure to be there.
      channel.force(true);
      return true;
    }
  }

  @Override
  public void close() {
    Thread busy;
    synchronized (this) {
      isClosed = true;
      busy = worker;
    }
    if (busy != null) {
      try {
        if (!busy.join(CLOSE_WAIT)) {
          LOG.warn("old files of {} are still being compressed", path);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
