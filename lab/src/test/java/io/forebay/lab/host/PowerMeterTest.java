package io.forebay.lab.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.FileTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Watts by the processor's counters, by the file of an outside meter, and none. */
final class PowerMeterTest {
  private static final double EXACT = 1e-9;
  private static final Instant NOON = Instant.parse("2026-01-31T12:00:00Z");
  private static final String ZONES = "sys/class/powercap/";

  @TempDir private Path root;

  private FileTree zone(String zone, String name, long microjoules) {
    return FileTree.in(root)
        .file(ZONES + zone + "/name", name)
        .file(ZONES + zone + "/max_energy_range_uj", "262143328850")
        .file(ZONES + zone + "/energy_uj", Long.toString(microjoules));
  }

  private PowerMeter rapl() {
    return RaplMeter.open(new KernelTree(root));
  }

  private static PowerMeter.Moment moment(long second, double joules) {
    return new PowerMeter.Moment(NOON.plusSeconds(second), second * 1_000_000_000, joules);
  }

  private static double watts(PowerMeter meter, PowerMeter.Moment from, PowerMeter.Moment to) {
    return Objects.requireNonNull(meter.watts(from, to));
  }

  @Test
  void packagesAndTheirMemoryAreAddedUp() {
    zone("intel-rapl:0", "package-0", 1_000_000);
    zone("intel-rapl:0:0", "core", 500_000);
    zone("intel-rapl:0:1", "dram", 100_000);
    zone("intel-rapl:1", "package-1", 2_000_000);
    zone("intel-rapl-mmio:0", "package-0", 1_000_000);
    PowerMeter meter = rapl();
    assertEquals(
        "RAPL: package-0 (intel-rapl:0) + dram (intel-rapl:0:1) + package-1 (intel-rapl:1)",
        meter.source());
    PowerMeter.Moment from = moment(0, meter.joules());

    zone("intel-rapl:0", "package-0", 401_000_000);
    zone("intel-rapl:0:0", "core", 300_500_000);
    zone("intel-rapl:0:1", "dram", 40_100_000);
    zone("intel-rapl:1", "package-1", 362_000_000);
    zone("intel-rapl-mmio:0", "package-0", 401_000_000);

    assertEquals(400, watts(meter, from, moment(2, meter.joules())), EXACT);
  }

  @Test
  void theWholePlatformCountsAlone() {
    zone("intel-rapl:0", "package-0", 0);
    zone("intel-rapl:1", "psys", 0);
    PowerMeter meter = rapl();
    PowerMeter.Moment from = moment(0, meter.joules());
    zone("intel-rapl:0", "package-0", 100_000_000);
    zone("intel-rapl:1", "psys", 150_000_000);

    assertEquals("RAPL: psys (intel-rapl:1)", meter.source());
    assertEquals(150, watts(meter, from, moment(1, meter.joules())), EXACT);
  }

  @Test
  void aCounterThatBeginsAnewGoesOn() {
    zone("intel-rapl:0", "package-0", 262_143_000_000L);
    PowerMeter meter = rapl();
    PowerMeter.Moment from = moment(0, meter.joules());
    zone("intel-rapl:0", "package-0", 99_671_150);

    assertEquals(100, watts(meter, from, moment(1, meter.joules())), EXACT);
    zone("intel-rapl:0", "package-0", 199_671_150);
    assertEquals(100, watts(meter, from, moment(2, meter.joules())), EXACT);
  }

  @Test
  void withoutCountersThereAreNoWatts() throws IOException {
    PowerMeter none = rapl();
    assertNull(none.watts(moment(0, none.joules()), moment(1, none.joules())));
    assertTrue(none.source().contains("no /sys/class/powercap"), none.source());

    zone("intel-rapl:0", "package-0", 1);
    Files.delete(root.resolve(ZONES + "intel-rapl:0/energy_uj"));
    PowerMeter unreadable = rapl();
    assertNull(unreadable.watts(moment(0, unreadable.joules()), moment(1, unreadable.joules())));
    assertTrue(unreadable.source().contains("run as root"), unreadable.source());
  }

  private PowerMeter file(String csv) throws IOException {
    Path file = Files.writeString(root.resolve("meter.csv"), csv);
    return PowerMeter.file(file);
  }

  /** 100 W for a second, then 300 W for three. */
  @Test
  void readingsAreWeightedByTheTimeTheyHold() throws IOException {
    PowerMeter meter =
        file(
            """
            time,watts
            2026-01-31T12:00:00Z,100
            2026-01-31T13:00:01+01:00,300.0

            2026-01-31T12:00:02.5Z, 300
            2026-01-31T12:00:04Z,999
            """);

    assertEquals("meter: meter.csv", meter.source());
    assertEquals(250, watts(meter, moment(0, 0), moment(4, 0)), EXACT);
    assertEquals(300, watts(meter, moment(1, 0), moment(4, 0)), EXACT);
    assertEquals(100, watts(meter, moment(0, 0), moment(1, 0)), EXACT);
    assertEquals(List.of(), meter.remarks(moment(0, 0), moment(4, 0)));
    assertEquals(0, meter.joules());
  }

  @Test
  void secondsSince1970AreTimes() throws IOException {
    long noon = NOON.getEpochSecond();
    PowerMeter meter = file(noon + ",100\n" + noon + ".5,200\r\n" + (noon + 1) + ",200\n");

    assertEquals(150, watts(meter, moment(0, 0), moment(1, 0)), EXACT);
  }

  @Test
  void aGapIsStatedAndALargeOneLeavesNoWatts() throws IOException {
    StringBuilder csv = new StringBuilder();
    for (int second = 0; second < 100; second++) {
      if (second < 40 || second >= 48) {
        csv.append(NOON.plusSeconds(second)).append(",200\n");
      }
    }
    PowerMeter meter = file(csv.toString());

    // A reading holds for three seconds here, so six of a hundred are without.
    assertEquals(200, watts(meter, moment(0, 0), moment(100, 0)), EXACT);
    assertEquals(
        List.of(
            "meter.csv covers 94 % of the time from 2026-01-31T12:00:00Z to 2026-01-31T12:01:40Z;"
                + " it has readings from 2026-01-31T12:00:00Z to 2026-01-31T12:01:39Z"),
        meter.remarks(moment(0, 0), moment(100, 0)));
    assertNull(meter.watts(moment(38, 0), moment(50, 0)));
    assertNull(meter.watts(moment(200, 0), moment(300, 0)));
    String remark = meter.remarks(moment(200, 0), moment(300, 0)).getFirst();
    assertTrue(remark.contains("covers 0 %") && remark.contains("watts are not known"), remark);
  }

  @Test
  void aMeterThatIsStillWritingIsReadAgain() throws IOException {
    PowerMeter meter = file("2026-01-31T12:00:00Z,100\n2026-01-31T12:00:01Z,1");
    assertEquals(100, watts(meter, moment(0, 0), moment(1, 0)), EXACT);
    assertEquals(100, watts(meter, moment(1, 0), moment(2, 0)), EXACT);

    file("2026-01-31T12:00:00Z,100\n2026-01-31T12:00:01Z,150\n2026-01-31T12:00:02Z,150\n");
    Path file = root.resolve("meter.csv");
    assertEquals(150, watts(PowerMeter.file(file), moment(1, 0), moment(3, 0)), EXACT);
    assertEquals(150, watts(meter, moment(1, 0), moment(3, 0)), EXACT);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "time,watts;12:00,1 | :2: '12:00' is no time: RFC 3339 with a zone",
        "2026-01-31T12:00:00,1 | :1: '2026-01-31T12:00:00' is no time",
        "2026-01-31T12:00:00Z,1W | :1: '1W' is no power in watts, such as 412.5",
        "2026-01-31T12:00:00Z,-5 | :1: '-5' is no power in watts",
        "2026-01-31T12:00:00Z,99999999 | :1: '99999999' is no power in watts",
        "2026-01-31T12:00:00Z,4,5 | :1: a line needs a time and watts with a comma between them",
        "2026-01-31T12:00:00Z | :1: a line needs a time and watts with a comma between them",
        "5,1;time,watts | :2: 'time' is no time",
        "2026-01-31T12:00:02Z,1;2026-01-31T12:00:01Z,1 | :2: 2026-01-31T12:00:01Z is earlier",
        "99999999999,1 | :1: '99999999999' is no time",
        "+999999999-01-01T00:00:00Z,1 | :1: '+999999999-01-01T00:00:00Z' is no time",
      })
  void aFileThatIsWrongNamesTheLine(String lines, String message) {
    IOException wrong =
        assertThrows(IOException.class, () -> file(lines.replace(';', '\n') + "\n"));

    assertTrue(
        String.valueOf(wrong.getMessage()).contains("meter.csv" + message), wrong.getMessage());
  }

  @Test
  void aFileThatIsNoneSaysSo() throws IOException {
    IOException missing =
        assertThrows(IOException.class, () -> PowerMeter.file(root.resolve("nowhere.csv")));
    assertTrue(
        String.valueOf(missing.getMessage())
            .endsWith("no such file; --watts needs the meter's CSV"));

    Path binary = Files.write(root.resolve("meter.bin"), new byte[] {(byte) 0xff, (byte) 0xfe, 0});
    IOException wrong = assertThrows(IOException.class, () -> PowerMeter.file(binary));
    assertTrue(String.valueOf(wrong.getMessage()).contains("not a text file"), wrong.getMessage());

    IOException endless = assertThrows(IOException.class, () -> file("1".repeat(100_000)));
    assertTrue(String.valueOf(endless.getMessage()).contains("longer than"), endless.getMessage());
  }
}
