package io.forebay.storage.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The kernel's files, with contents that the kernel never writes as well. */
class KernelFileTest {
  @TempDir Path directory;

  private Path file(String text) throws Exception {
    return Files.writeString(directory.resolve("file"), text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "max",
        "-1",
        "+5",
        "5 MiB",
        "0x10",
        "1e3",
        "5.0",
        "1_000",
        "٣",
        "5\u0000",
        "5 6",
        "99999999999999999999",
        "18446744073709551615",
        "9223372036854775808"
      })
  void whatIsNoNumberIsNone(String text) throws Exception {
    assertEquals(OptionalLong.empty(), KernelFile.number(file(text)));
  }

  @Test
  void aNumberIsOneUpToTheLargest() throws Exception {
    assertEquals(OptionalLong.of(0), KernelFile.number(file("0\n")));
    assertEquals(OptionalLong.of(Long.MAX_VALUE), KernelFile.number(file("9223372036854775807\n")));
  }

  @Test
  void aFileIsReadUpToItsBound() throws Exception {
    assertEquals(OptionalLong.empty(), KernelFile.number(directory.resolve("missing")));
    assertEquals(OptionalLong.empty(), KernelFile.number(directory));
    byte[] long1 = new byte[KernelFile.MAX_BYTES];
    Arrays.fill(long1, (byte) '\n');
    Path file = Files.write(directory.resolve("long"), long1);
    assertEquals(KernelFile.MAX_BYTES, KernelFile.lines(file).size());
    Files.write(file, Arrays.copyOf(long1, long1.length + 1));
    assertEquals(List.of(), KernelFile.lines(file));
    assertEquals(List.of(), KernelFile.lines(directory.resolve("missing")));
  }

  @Test
  void aFieldIsAWholeWordAtTheBeginningOfALine() {
    List<String> lines = List.of("MemTotalX: 1 kB", " MemTotal: 2 kB", "MemTotal:      3 kB");
    assertEquals(OptionalLong.of(3), KernelFile.field(lines, "MemTotal:"));
    assertEquals(OptionalLong.empty(), KernelFile.field(lines, "MemFree:"));
    assertEquals(OptionalLong.empty(), KernelFile.field(List.of("oom"), "oom"));
    assertEquals(OptionalLong.empty(), KernelFile.field(List.of("oom -3"), "oom"));
    assertEquals(OptionalLong.of(7), KernelFile.field(List.of("oom_kill 9", "oom 7"), "oom"));
  }

  @ParameterizedTest
  @CsvSource({
    "some avg10=1.53 avg60=0.87, 0.0153",
    "some avg10=100.00 avg60=0, 1",
    "some avg10=7, 0.07",
    "some avg10=0.00 avg60=99, 0",
    "full avg10=9.00 avg60=9, 0",
    "some avg10=-3.00, 0",
    "some avg10=1.-5, 0",
    "some avg10=101.00, 0",
    "some avg10=NaN avg60=1, 0",
    "some avg10=1e2, 0",
    "some avg10=Infinity, 0",
    "some avg10=, 0",
    "some avg10=1., 0",
    "some avg10=.5, 0",
    "some, 0",
    "some avg10=1.99999999999999999999999999999999, 0",
  })
  void aShareOfWaitingIsAPercentage(String line, double share) {
    assertEquals(share, KernelFile.pressure(List.of("x", line), "some"), 1e-9);
  }

  @Test
  void anyBytesAreReadWithoutAFailure() throws Exception {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    byte[] seeds =
        "some avg10=1.5 \nMemTotal: 5 kB\noom 3\n0::/a/../..\n4:memory:/b\n"
            .getBytes(StandardCharsets.US_ASCII);
    for (int n = 0; n < 500; n++) {
      byte[] bytes = seeds.clone();
      for (int flips = random.nextInt(20); flips > 0; flips--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      Path file = Files.write(directory.resolve("any"), bytes);
      List<String> lines = KernelFile.lines(file);
      double share = KernelFile.pressure(lines, "some");
      assertEquals(share, Math.clamp(share, 0, 1), "seed " + seed);
      long field = KernelFile.field(lines, "MemTotal:").orElse(0);
      assertEquals(field, Math.max(0, field), "seed " + seed);
      ControlGroups groups = new ControlGroups(file, directory.resolve("groups"));
      assertEquals(List.of(), groups.throttled(), "seed " + seed);
      assertEquals(0, groups.outOfMemory(), "seed " + seed);
    }
  }
}
