package io.forebay.server.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.counters.LoopCounters.CacheResult;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class RingTest {
  @TempDir Path directory;

  private final RecordEncoder encoder = new RecordEncoder();
  private Path file;
  private RingWriter writer;

  @BeforeEach
  void aRing() throws IOException {
    file = directory.resolve("requests-3.ring");
    writer = RingWriter.create(file, RingFiles.MIN_BYTES, 3, 42);
  }

  @AfterEach
  void closed() {
    writer.close();
  }

  private static long clock() {
    return 1_000;
  }

  private void write(long number, String path) {
    encoder.begin(number, 2 * number, 3, 4, 5 * number, 6, 200, CacheResult.MISS);
    encoder.text(RingText.METHOD, "GET");
    encoder.text(RingText.PATH, path);
    writer.append(encoder);
  }

  /** Different lengths; the text follows from the number. */
  private static String path(long number) {
    return Long.toString(number).repeat((int) (number % 61) + 1);
  }

  @Test
  void aReaderGetsWhatWasWritten() throws IOException {
    try (RingReader reader = RingReader.open(file)) {
      assertNull(reader.next());
      write(7, "/a\u00e9\u001b[2J");
      RingRecord record = reader.next();
      assertNotNull(record);
      assertEquals("/a\u00e9\u001b[2J", record.text(RingText.PATH));
      assertEquals("GET", record.text(RingText.METHOD));
      assertNull(record.text(RingText.QUERY));
      assertEquals(7, record.startMillis());
      assertEquals(14, record.durationNanos());
      assertEquals(3, record.firstByteNanos());
      assertEquals(4, record.fetchNanos());
      assertEquals(35, record.bytes());
      assertEquals(6, record.fill());
      assertEquals(200, record.status());
      assertEquals(CacheResult.MISS, record.cache());
      assertEquals(3, record.loop());
      assertEquals(0, record.sequence());
      assertNull(reader.next());
      assertEquals(3, reader.loop());
      assertEquals(42, reader.startMillis());
      assertEquals(ProcessHandle.current().pid(), reader.process());
      assertEquals(0, reader.stopMillis());
    }
  }

  @Test
  void theLargestTextsFitAndLongerOnesAreCut() throws IOException {
    for (int over = 0; over <= 1; over++) {
      encoder.begin(0, 0, 0, 0, 0, 0, 200, CacheResult.HIT);
      for (RingText text : RingText.values()) {
        encoder.text(text, "x".repeat(text.maxLength() + over));
      }
      writer.append(encoder);
    }
    try (RingReader reader = RingReader.open(file)) {
      for (int over = 0; over <= 1; over++) {
        RingRecord record = reader.next();
        assertNotNull(record);
        assertEquals(over == 1, record.isCut());
        for (RingText text : RingText.values()) {
          assertEquals("x".repeat(text.maxLength()), record.text(text));
        }
      }
    }
  }

  /** Ordinals are in files: a new result is added at the end, and another order needs a version. */
  @Test
  void cacheResultsKeepTheirNumbers() {
    assertEquals(
        List.of("HIT", "STALE", "REVALIDATED", "JOINED", "MISS", "PASS", "SYNTHETIC", "REFUSED"),
        List.of(CacheResult.values()).stream().map(Enum::name).toList());
  }

  @Test
  void theOldestRecordsMakeRoomAndTheRestIsWhole() throws IOException {
    int count = 5_000;
    for (int i = 0; i < count; i++) {
      write(i, path(i));
    }
    try (RingReader reader = RingReader.open(file)) {
      RingRecord first = reader.next();
      assertNotNull(first);
      assertTrue(first.sequence() > 0 && first.sequence() < count - 100, first.sequence() + "");
      long expected = first.sequence();
      for (RingRecord record = first; record != null; record = reader.next()) {
        assertEquals(expected, record.sequence());
        assertEquals(path(expected), record.text(RingText.PATH));
        expected++;
      }
      assertEquals(count, expected);
      assertEquals(0, reader.lost(), "what was gone before it began is not lost");
    }
  }

  @Test
  void aReaderThatWasOvertakenCountsWhatItLost() throws IOException {
    try (RingReader reader = RingReader.open(file)) {
      write(0, path(0));
      assertNotNull(reader.next());
      int count = 5_000;
      for (int i = 1; i < count; i++) {
        write(i, path(i));
      }
      long read = 1;
      for (RingRecord record = reader.next(); record != null; record = reader.next()) {
        assertEquals(path(record.sequence()), record.text(RingText.PATH));
        read++;
      }
      assertTrue(read > 100 && reader.lost() > 100, read + " read, " + reader.lost() + " lost");
      assertEquals(count, read + reader.lost());
    }
  }

  @Test
  void aReaderSkipsToTheEndOnRequest() throws IOException {
    write(0, "/old");
    try (RingReader reader = RingReader.open(file)) {
      reader.skipToEnd();
      assertNull(reader.next());
      write(1, "/new");
      RingRecord record = reader.next();
      assertNotNull(record);
      assertEquals("/new", record.text(RingText.PATH));
    }
  }

  /** Writer and reader at full speed on a ring that is overwritten again and again. */
  @Test
  void noTornRecordIsShown() throws Exception {
    int count = 300_000;
    AtomicBoolean isWritten = new AtomicBoolean();
    Thread loop =
        new Thread(() -> {
          for (int i = 0; i < count; i++) {
            write(i, path(i));
          }
          isWritten.set(true);
        });
    long read = 0;
    try (RingReader reader = RingReader.open(file)) {
      loop.start();
      long last = -1;
      while (true) {
        boolean isLast = isWritten.get();
        RingRecord record = reader.next();
        if (record == null) {
          if (isLast) {
            break;
          }
          Thread.onSpinWait();
          continue;
        }
        long number = record.sequence();
        assertTrue(number > last, number + " behind " + last);
        assertEquals(number, record.startMillis());
        assertEquals(2 * number, record.durationNanos());
        assertEquals(5 * number, record.bytes());
        assertEquals(path(number), record.text(RingText.PATH));
        last = number;
        read++;
      }
      assertEquals(count - 1, last);
      assertTrue(read + reader.lost() <= count);
    } finally {
      loop.join();
    }
    assertTrue(read > 0);
  }

  @Test
  void aDamagedFileNeitherStopsTheWriterNorShowsNonsense() throws IOException {
    SplittableRandom random = new SplittableRandom(25);
    for (int i = 0; i < 2_000; i++) {
      write(i, path(i));
    }
    byte[] noise = new byte[(int) Files.size(file) - RingLayout.HEADER_LENGTH];
    random.nextBytes(noise);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(noise), RingLayout.HEADER_LENGTH);
    }
    try (RingReader reader = RingReader.open(file)) {
      assertThrows(DamagedRingException.class, reader::next);
    }
    for (int i = 2_000; i < 9_000; i++) {
      write(i, path(i));
    }
    try (RingReader reader = RingReader.open(file)) {
      RingRecord record = reader.next();
      assertNotNull(record);
      assertEquals(path(record.sequence()), record.text(RingText.PATH));
    }
  }

  @Test
  void whatIsNoRingIsRefused() throws IOException {
    Path other = directory.resolve("other");
    Files.write(other, new byte[100]);
    assertThrows(DamagedRingException.class, () -> RingReader.open(other));
    Files.write(other, new byte[10_000]);
    assertThrows(DamagedRingException.class, () -> RingReader.open(other));
    byte[] cut = Files.readAllBytes(file);
    Files.write(other, Arrays.copyOf(cut, cut.length - 8));
    assertThrows(DamagedRingException.class, () -> RingReader.open(other));
    ByteBuffer.wrap(cut).order(ByteOrder.LITTLE_ENDIAN).putInt((int) RingLayout.VERSION_OFFSET, 2);
    Files.write(other, cut);
    String message =
        String.valueOf(
            assertThrows(DamagedRingException.class, () -> RingReader.open(other)).getMessage());
    assertTrue(message.contains("version 2"), message);
  }

  // --- files ------------------------------------------------------------------------------------

  private Path rings() throws IOException {
    return Files.createDirectories(directory.resolve("rings"));
  }

  private void serve(RingFiles files, String path) {
    RingWriter one = files.forLoop(0);
    assertNotNull(one);
    encoder.begin(1, 1, 1, 1, 1, 0, 200, CacheResult.HIT);
    encoder.text(RingText.PATH, path);
    one.append(encoder);
  }

  private List<String> paths(boolean isOfPrevious) throws IOException {
    List<String> paths = new ArrayList<>();
    for (Path ring : RingFiles.find(rings(), isOfPrevious)) {
      try (RingReader reader = RingReader.open(ring)) {
        for (RingRecord record = reader.next(); record != null; record = reader.next()) {
          paths.add(record.textOrEmpty(RingText.PATH));
        }
      }
    }
    return paths;
  }

  @Test
  void aStartKeepsTheRecordsOfTheProcessBeforeUnlessItServedNothing() throws IOException {
    try (RingFiles first = RingFiles.open(rings(), 4, 100_000, RingTest::clock)) {
      serve(first, "/first");
    }
    RingFiles.open(rings(), 4, 100_000, RingTest::clock).close();
    assertEquals(List.of("/first"), paths(true));
    // It is killed: nothing is closed.
    RingFiles second = RingFiles.open(rings(), 2, 100_000, RingTest::clock);
    serve(second, "/second");
    assertEquals(List.of("/first"), paths(true));
    assertEquals(List.of("/second"), paths(false));
    RingFiles third = RingFiles.open(rings(), 1, 100_000, RingTest::clock);
    assertEquals(List.of("/second"), paths(true));
    assertEquals(List.of(), paths(false));
    assertEquals(2, RingFiles.find(rings(), true).size(), "none of the four of the first");
    third.close();
    second.close();
  }

  @Test
  void filesCanBeReadByTheirUserAlone() throws IOException {
    try (RingFiles files = RingFiles.open(rings(), 1, 100_000, RingTest::clock)) {
      serve(files, "/");
      for (Path one : RingFiles.find(rings(), false)) {
        assertEquals(
            "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(one)));
      }
      assertEquals(1, files.records());
    }
  }

  @Test
  void aStopInOrderIsNoted() throws IOException {
    try (RingFiles files = RingFiles.open(rings(), 1, 100_000, () -> 77)) {
      serve(files, "/");
    }
    try (RingReader reader = RingReader.open(RingFiles.find(rings(), false).getFirst())) {
      assertEquals(77, reader.stopMillis());
    }
  }

  @Test
  void withoutRoomThereIsNoRingAndNothingIsLeft() throws IOException {
    try (RingFiles files = RingFiles.open(rings(), 2, 1L << 50, RingTest::clock)) {
      assertNull(files.forLoop(0));
      assertNull(files.directory());
    }
    try (var left = Files.list(rings())) {
      assertEquals(List.of(), left.toList());
    }
  }

  @Test
  void withoutADirectoryOrASizeThereIsNoRing() throws IOException {
    try (RingFiles files = RingFiles.open(null, 2, 100_000, RingTest::clock)) {
      assertNull(files.forLoop(0));
    }
    try (RingFiles files = RingFiles.open(rings(), 2, 0, RingTest::clock)) {
      assertNull(files.forLoop(0));
    }
  }
}
