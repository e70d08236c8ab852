package io.forebay.cli.ring;

import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.ring.RecordEncoder;
import io.forebay.server.ring.RingFiles;
import io.forebay.server.ring.RingReader;
import io.forebay.server.ring.RingRecord;
import io.forebay.server.ring.RingText;
import io.forebay.server.ring.RingWriter;
import io.forebay.testing.Directories;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Records for tests, through a real ring. */
final class Records {
  static final long START_MILLIS = 1_790_000_000_000L;

  private Records() {}

  static RingRecord of(
      String method,
      String scheme,
      String host,
      String path,
      String query,
      int status,
      long firstByteNanos,
      long bytes) {
    try {
      Path directory = Directories.inMemory("forebay-records-");
      try (RingFiles rings = RingFiles.open(directory, 1, 100_000, () -> 1)) {
        write(rings, 0, method, scheme, host, path, query, status, firstByteNanos, bytes, 0, 1);
        try (RingReader reader = RingReader.open(RingFiles.find(directory, false).getFirst())) {
          return Objects.requireNonNull(reader.next());
        }
      } finally {
        Directories.delete(directory);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Appends a record to the ring of a loop; a miss, or what joined it. */
  static void write(
      RingFiles rings,
      int loop,
      String method,
      String scheme,
      String host,
      String path,
      @Nullable String query,
      int status,
      long firstByteNanos,
      long bytes,
      long fill,
      long millis) {
    RecordEncoder encoder = new RecordEncoder();
    encoder.begin(
        START_MILLIS + millis,
        firstByteNanos,
        firstByteNanos,
        -1,
        bytes,
        fill,
        status,
        fill != 0 && loop > 0
            ? CacheResult.JOINED
            : fill != 0 ? CacheResult.MISS : CacheResult.HIT);
    encoder.text(RingText.METHOD, method);
    encoder.text(RingText.SCHEME, scheme);
    encoder.text(RingText.HOST, host);
    encoder.text(RingText.PATH, path);
    encoder.text(RingText.QUERY, query);
    encoder.text(RingText.PROTOCOL, "HTTP/1.1");
    encoder.text(RingText.CLIENT, "192.0.2." + (loop + 1));
    RingWriter writer = Objects.requireNonNull(rings.forLoop(loop));
    writer.append(encoder);
  }
}
