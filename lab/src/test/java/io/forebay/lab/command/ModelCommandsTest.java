package io.forebay.lab.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

class ModelCommandsTest {
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
    assertEquals("100", report.at("/deviations/0/published").asString());
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
