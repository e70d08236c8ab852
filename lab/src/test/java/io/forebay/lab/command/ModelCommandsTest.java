package io.forebay.lab.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.lab.result.ResultFiles;
import io.forebay.lab.result.ResultFixture;
import io.forebay.lab.result.StepResult;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

class ModelCommandsTest {
  @TempDir Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(Object command, String... arguments) {
    return new CommandLine(command)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }

  private static JsonNode json(String text) {
    return new ObjectMapper().readTree(text);
  }

  @Test
  void channelsPrintsReckonedBesidePublished() {
    assertEquals(0, run(new ChannelsCommand(), "--cache-gb", "150"));
    String text = out.toString();
    assertTrue(text.contains("written anew 240 times a day"), text);
    assertTrue(text.matches("(?s).*DRAM 768 GB +576 +384 +192 +96 +100\n.*"), text);
    assertTrue(text.matches("(?s).*yours +150 +100 +50 +25 +-\n.*"), text);
    assertTrue(text.contains("DRAM 768 GB: published 100, reckoned 96; the paper rounds"), text);
  }

  @Test
  void channelsTakesOtherConstantsAndPrintsJson() {
    assertEquals(0, run(new ChannelsCommand(), "--json", "--segment-set-mb=50", "--vms=2"));
    JsonNode report = json(out.toString());
    assertEquals(50, report.at("/constants/segmentSetMegabytes").asDouble());
    assertEquals(96, report.at("/channels/0/perMachine").asDouble());
    assertEquals("100", report.at("/discrepancies/0/published").asString());
  }

  @Test
  void tcoPrintsCostsFleetsAndWear() {
    assertEquals(
        0,
        run(
            new TcoCommand(),
            "--server-cost=18000",
            "--watts=650",
            "--gbps=320",
            "--rack-units=1",
            "--drive-gb=1000",
            "--drive-pbw=1"));
    String text = out.toString();
    assertTrue(text.contains("DUT1 against DRAM: published -30 %, reckoned -31 %"), text);
    assertTrue(text.contains("DUT2 against DUT1: published +14 %, reckoned +21 %"), text);
    assertTrue(text.contains("200 racks of 7.8 kW full of 1 x 6252N"), text);
    assertEquals(3, text.lines().filter(line -> line.startsWith("yours ")).count(), text);
  }

  @Test
  void tcoReplacesAServerOfTheSameName() {
    assertEquals(
        0, run(new TcoCommand(), "--json", "--server", "DRAM=10000,1,100,1", "--years", "1"));
    JsonNode report = json(out.toString());
    assertEquals(4, report.path("costs").size());
    assertEquals(10_000, report.at("/costs/0/dollars").asDouble());
    assertEquals(75.76, report.at("/costs/0/room").asDouble(), 1e-9);
    assertTrue(report.path("endurance").size() >= 4);
  }

  private Path results(StepResult... steps) throws IOException {
    ResultFiles.write(directory, List.of(ResultFixture.run("xeon6-live", List.of(steps))));
    return directory;
  }

  /** A step at 2 MB a body whose clients got so many Gbit/s; seven of eight bytes are hits. */
  private static StepResult step(
      String name, int repetition, double gigabits, @Nullable Double watts, String... voids) {
    return ResultFixture.step(name, repetition, Map.of(), gigabits, 2_000_000, watts, voids);
  }

  @Test
  void tcoTakesMeasuredFiguresAndNamesTheirSources() throws IOException {
    Path results =
        results(
            step("c48", 1, 40, 300.0),
            step("c100", 1, 80, 400.0),
            step("c100", 2, 100, 500.0),
            step("c100", 3, 90, 450.0),
            step("c100", 4, 1, 1.0, "the client was the bound"));

    assertEquals(
        0,
        run(new TcoCommand(), "--from=" + results, "--step=c100", "--server-cost=18000"),
        err.toString());
    String text = out.toString();
    assertTrue(
        text.contains("Measured: step c100 of xeon6-live with forebay 1.2, profile here"), text);
    String median = ", median of 3 repetitions that count +";
    assertTrue(
        text.matches(
            "(?s).*\nthroughput: bodies that clients got" + median + "90\\.000 +Gbit/s\n.*"),
        text);
    assertTrue(text.matches("(?s).*\npower: meter of the run" + median + "450\\.000 +W\n.*"), text);
    assertTrue(
        text.matches("(?s).*\nbyte hit ratio: the program's counters" + median + "0\\.875\n.*"),
        text);
    assertTrue(text.matches("(?s).*\nfrom the origin: [^\n]+ 11\\.250 +Gbit/s\n.*"), text);
    assertTrue(text.matches("(?s).*\nyours +18,?000 .* 90\\.0 .*"), text);

    out.getBuffer().setLength(0);
    assertEquals(
        0,
        run(
            new TcoCommand(),
            "--from=" + results,
            "--step=c48",
            "--server-cost=18000",
            "--watts=250",
            "--json"));
    JsonNode json = json(out.toString());
    assertEquals(250, json.at("/measured/1/value").asDouble());
    assertEquals("option --watts", json.at("/measured/1/source").asString());
    assertEquals(40, json.at("/costs/4/gigabits").asDouble(), 1e-6);
  }

  @Test
  void tcoSaysWhichFigureLacksOrWhichStepIsVoid() throws IOException {
    Path results =
        results(
            step("c48", 1, 40, null),
            step("c100", 1, 80, 400.0, "the hit ratio was 90.0 % where 98.8 % is wanted"));
    String from = "--from=" + results;

    assertEquals(2, run(new TcoCommand(), from, "--server-cost=1", "--step=c48"));
    assertEquals(2, run(new TcoCommand(), from, "--server-cost=1", "--step=c100"));
    assertEquals(2, run(new TcoCommand(), from, "--server-cost=1"));
    assertEquals(2, run(new TcoCommand(), from, "--server-cost=1", "--program=nginx"));
    assertEquals(2, run(new TcoCommand(), from, "--step=c48"));
    assertEquals(2, run(new TcoCommand(), from, "--step=c48", "--server-cost=1", "--gbps=1"));
    assertEquals(1, run(new TcoCommand(), from + "/none", "--server-cost=1"));
    String text = err.toString();
    for (String message :
        List.of(
            "step c48 of xeon6-live with forebay 1.2, profile here has no power: run it with a meter",
            "step c100 of xeon6-live with forebay 1.2, profile here is VOID: the hit ratio was 90.0 %",
            "choose one with --scenario, --program and --step: step c48 of",
            "no step fits; the results have: step c48 of xeon6-live with forebay",
            "--from needs --server-cost",
            "--from and --gbps both tell Gbit/s",
            "no such file; \"forebay lab run NAME\"")) {
      assertTrue(text.contains(message), message + ": " + text);
    }
  }

  @Test
  void wrongOptionsAreToldWhatToWrite() {
    assertEquals(2, run(new TcoCommand(), "--server", "edge=18000"));
    assertEquals(2, run(new TcoCommand(), "--server", "edge=1,two,3"));
    assertEquals(2, run(new TcoCommand(), "--server-cost", "1"));
    assertEquals(2, run(new TcoCommand(), "--drive-gb", "1"));
    assertEquals(2, run(new TcoCommand(), "--average-to-peak", "0"));
    assertEquals(2, run(new ChannelsCommand(), "--segments", "0"));
    assertEquals(2, run(new OriginCommand(), "--listen", "9000"));
    assertEquals(2, run(new OriginCommand(), "--key", "a.key"));
    assertEquals(2, run(new OriginCommand(), "--error-share", "5"));
    String text = err.toString();
    for (String message :
        new String[] {
          "write NAME=$,KW,GBPS[,RU]",
          "write numbers behind =",
          "needs --watts and --gbps",
          "write both",
          "write a number above 0",
          "write at least 1",
          "write ADDRESS:PORT",
          "write both or neither",
          "write 0 to 1"
        }) {
      assertTrue(text.contains(message), message + ": " + text);
    }
  }
}
