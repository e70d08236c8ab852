package io.forebay.server.logsink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.LogConfig;
import io.forebay.testing.Await;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class FileOutputTest {
  private static final long MIB = 1 << 20;

  @TempDir Path directory;
  private Path log;
  private long now = Instant.parse("2026-03-04T23:59:58Z").toEpochMilli();

  @BeforeEach
  void name() {
    log = directory.resolve("access.json");
  }

  private LogOutput open(LogConfig.Rotation rotation) throws IOException {
    return Objects.requireNonNull(
        LogOutputs.open(
            "access-log", log.toString(), rotation, LogConfig.Syslog.DEFAULT, false, () -> now));
  }

  private static LogConfig.Rotation rotation(long size, Duration every, int keep, boolean gzip) {
    return new LogConfig.Rotation(size, every, keep, gzip);
  }

  private static void write(LogOutput output, String lines) throws IOException {
    assertTrue(output.write(ByteBuffer.wrap(lines.getBytes(StandardCharsets.US_ASCII))));
  }

  private static String line(int number) {
    return number + " " + "x".repeat(1000) + "\n";
  }

  /** Names behind that of the log, in their order. */
  private List<String> old() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.startsWith("access.json."))
          .map(name -> name.substring("access.json.".length()))
          .sorted()
          .toList();
    }
  }

  private static List<Integer> numbers(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file);
        InputStream plain = file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in) {
      return new String(plain.readAllBytes(), StandardCharsets.US_ASCII)
          .lines()
          .map(line -> Integer.valueOf(line.substring(0, line.indexOf(' '))))
          .toList();
    }
  }

  private List<Integer> allNumbers() throws IOException {
    List<Integer> all = new ArrayList<>();
    for (String name : old()) {
      all.addAll(numbers(directory.resolve("access.json." + name)));
    }
    all.addAll(numbers(log));
    return all.stream().sorted().toList();
  }

  @Test
  void aFileThatWouldGetTooLargeIsRenamedBetweenLines() throws IOException {
    List<Integer> expected = new ArrayList<>();
    try (LogOutput output = open(rotation(MIB, Duration.ZERO, 100, false))) {
      for (int i = 0; i < 5000; i++) {
        write(output, line(i));
        expected.add(i);
        if (i % 100 == 0) {
          now += 1000;
        }
      }
    }
    List<String> names = old();
    assertEquals(4, names.size(), names.toString());
    for (String name : names) {
      assertTrue(name.matches("20260305T\\d{6}Z|20260304T235958Z"), name);
      assertTrue(Files.size(directory.resolve("access.json." + name)) <= MIB, name);
    }
    assertEquals(expected, allNumbers());
  }

  @Test
  void severalOfOneSecondHaveNumbers() throws IOException {
    try (LogOutput output = open(rotation(MIB, Duration.ZERO, 100, false))) {
      for (int i = 0; i < 5000; i++) {
        write(output, line(i));
      }
    }
    assertEquals(
        List.of(
            "20260304T235958Z", "20260304T235958Z-1", "20260304T235958Z-2", "20260304T235958Z-3"),
        old());
    assertEquals(5000, allNumbers().size());
  }

  @Test
  void theFirstLineOfAnotherDayBeginsANewFile() throws IOException {
    try (LogOutput output = open(rotation(0, Duration.ofDays(1), 10, false))) {
      write(output, line(1));
      now += 1000;
      write(output, line(2));
      assertEquals(List.of(), old());
      now += 1000;
      assertEquals(List.of(), old());
      write(output, line(3));
      assertEquals(List.of("20260305T000000Z"), old());
      now += Duration.ofDays(3).toMillis();
      write(output, line(4));
    }
    assertEquals(List.of("20260305T000000Z", "20260308T000000Z"), old());
    assertEquals(List.of(4), numbers(log));
    assertEquals(List.of(1, 2, 3, 4), allNumbers());
  }

  @Test
  void aFileOfAnEarlierProcessBelongsToTheDayOfItsLastLine() throws IOException {
    Files.writeString(log, line(1));
    Files.setLastModifiedTime(log, FileTime.fromMillis(now - Duration.ofDays(1).toMillis()));
    try (LogOutput output = open(rotation(0, Duration.ofDays(1), 10, false))) {
      write(output, line(2));
    }
    assertEquals(List.of("20260304T235958Z"), old());
    assertEquals(List.of(2), numbers(log));
  }

  @Test
  void theYoungestAreKeptCompressedAndAsPrivateAsTheLog() throws IOException {
    try (LogOutput output = open(rotation(MIB, Duration.ZERO, 2, true))) {
      Files.setPosixFilePermissions(log, PosixFilePermissions.fromString("rw-------"));
      for (int i = 0; i < 5000; i++) {
        write(output, line(i));
        now += i % 100 == 0 ? 1000 : 0;
      }
      Await.until(
          "two old files are left",
          () -> old().size() == 2 && old().stream().allMatch(name -> name.endsWith(".gz")));
    }
    List<Integer> all = allNumbers();
    assertEquals(4999, all.getLast());
    for (int i = 1; i < all.size(); i++) {
      assertEquals(all.get(i - 1) + 1, all.get(i));
    }
    assertTrue(all.size() > 2000 && all.size() < 3200, all.size() + " lines");
  }

  @Test
  void whatAProcessThatDiedLeftIsDoneAtTheNextStart() throws IOException {
    Path done = directory.resolve("access.json.20260101T000000Z.gz");
    Path plain = directory.resolve("access.json.20260101T000000Z");
    Path other = directory.resolve("access.json.20260102T000000Z");
    Path part = directory.resolve("access.json.20260103T000000Z.gz.part");
    Path foreign = directory.resolve("access.json.1");
    Path longer = directory.resolve("access.json.backup.20260102T000000Z");
    Files.writeString(done, "complete");
    for (Path file : List.of(plain, other, part, foreign, longer)) {
      Files.writeString(file, line(1));
    }
    try (LogOutput output = open(rotation(MIB, Duration.ZERO, 5, true))) {
      Await.until(
          "all is done", () -> !Files.exists(plain) && !Files.exists(other) && !Files.exists(part));
      write(output, line(2));
    }
    assertEquals("complete", Files.readString(done));
    assertEquals(List.of(1), numbers(directory.resolve("access.json.20260102T000000Z.gz")));
    assertTrue(Files.exists(foreign) && Files.exists(longer));
  }

  @Test
  void aRotationThatFailsCostsNoLine() throws IOException {
    Path sub = Files.createDirectory(directory.resolve("sub"));
    log = sub.resolve("access.json");
    Path moved = directory.resolve("moved");
    List<Integer> expected = new ArrayList<>();
    try (LogOutput output = open(rotation(MIB, Duration.ZERO, 5, false))) {
      Files.move(sub, moved);
      for (int i = 0; i < 3000; i++) {
        write(output, line(i));
        expected.add(i);
      }
      assertEquals(expected, numbers(moved.resolve("access.json")));
      Files.move(moved, sub);
      now += 120_000;
      write(output, line(3000));
    }
    assertEquals(List.of(3000), numbers(log));
    assertEquals(expected, numbers(sub.resolve("access.json.20260305T000158Z")));
  }

  @Test
  void whoRotatesByHandIsNotDisturbed() throws IOException {
    Path byHand = directory.resolve("access.json.1");
    try (LogOutput output = open(rotation(MIB, Duration.ZERO, 5, false))) {
      write(output, line(1));
      Files.move(log, byHand);
      output.reopen();
      write(output, line(2));
    }
    assertEquals(List.of(1), numbers(byHand));
    assertEquals(List.of(2), numbers(log));
  }

  @Test
  void privateFilesAreTheOwnersAlone() throws IOException {
    try (LogOutput output =
        Objects.requireNonNull(
            LogOutputs.open(
                "audit",
                log.toString(),
                rotation(MIB, Duration.ZERO, 5, true),
                LogConfig.Syslog.DEFAULT,
                true,
                () -> now))) {
      for (int i = 0; i < 1500; i++) {
        write(output, line(i));
      }
      Await.until("one is compressed", () -> old().equals(List.of("20260304T235958Z.gz")));
    }
    for (Path file : List.of(log, directory.resolve("access.json.20260304T235958Z.gz"))) {
      assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    }
    assertEquals(1500, allNumbers().size());
    Path target = directory.resolve("target");
    Path link = Files.createSymbolicLink(directory.resolve("link"), target);
    assertFalse(Files.exists(target));
    IOException refused =
        assertThrows(
            IOException.class,
            () ->
                LogOutputs.open(
                    "audit",
                    link.toString(),
                    LogConfig.Rotation.OFF,
                    LogConfig.Syslog.DEFAULT,
                    true,
                    () -> now));
    assertTrue(String.valueOf(refused.getMessage()).contains("or set audit.output"));
    assertFalse(Files.exists(target));
  }
}
