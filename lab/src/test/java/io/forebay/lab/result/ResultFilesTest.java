package io.forebay.lab.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultFilesTest {

  @TempDir Path directory;

  @Test
  void whatIsWrittenIsReadAgain() throws Exception {
    RunResult run =
        ResultFixture.run(
            "xeon6-live",
            List.of(
                ResultFixture.step("live-48", 1, Map.of("connections", 48, "tls", true), 2.5),
                ResultFixture.step("live-48", 2, Map.of("rate", 1.5), 2.4, 4096, 80.5, "Busy.")));

    ResultFiles.write(directory.resolve("new"), List.of(run, run));

    assertEquals(List.of(run, run), ResultFiles.read(directory.resolve("new")));
    assertEquals(
        List.of(run, run), ResultFiles.read(directory.resolve("new").resolve("results.json")));
    try (var files = Files.list(directory.resolve("new"))) {
      assertEquals(1, files.count());
    }
  }

  @Test
  void numbersThatAreNotKnownAreNull() throws Exception {
    Latency latency = new Latency(1, Double.NaN, 1, 1, 1, Double.POSITIVE_INFINITY);
    StepResult step =
        withFirstByte(
            ResultFixture.step("a", 1, Map.of("rate", Double.NaN, "name", "b"), 1), latency);

    ResultFiles.write(directory, List.of(ResultFixture.run("s", List.of(step))));

    String json = Files.readString(directory.resolve("results.json"));
    assertFalse(json.contains("NaN") || json.contains("Infinity"), json);
    StepResult read = ResultFiles.read(directory).getFirst().steps().getFirst();
    assertTrue(Double.isNaN(read.load().firstByte().mean()));
    assertTrue(Double.isNaN(read.load().firstByte().max()));
    assertEquals(Map.of("name", "b"), read.dials());
    assertNull(read.server().watts());
  }

  @Test
  void aLaterFormatIsRefused() throws Exception {
    IOException e = refused("{\"version\": 2, \"runs\": [], \"more\": 1}");
    assertTrue(e.toString().contains("format 2 is later than 1"), e.toString());
  }

  @Test
  void otherFilesAreRefused() throws Exception {
    String run = run();
    for (String text :
        List.of(
            "",
            "[]",
            "{\"version\": 1}",
            "{\"version\": \"1\", \"runs\": []}",
            "{\"version\": 1, \"runs\": null}",
            "{\"version\": 1, \"runs\": [null]}",
            "{\"version\": 1, \"runs\": [], \"more\": 1}",
            "{\"version\": 1, \"runs\": []} {}",
            "{\"version\": 1, \"runs\": [], \"runs\": []}",
            run.substring(0, run.length() / 2),
            run.replace("\"requests\"", "\"request\""),
            run.replace("\"factor\":60.0", "\"factor\":0"),
            run.replace("\"factor\":60.0", "\"factor\":\"60\""),
            run.replace("\"repetition\":1", "\"repetition\":0"),
            run.replace("\"repetition\":1", "\"repetition\":1.5"),
            run.replace("\"connections\":8", "\"connections\":null"),
            run.replace("\"scenario\":\"s\"", "\"scenario\":\" \""),
            run.replace("\"scenario\":\"s\"", "\"scenario\":null"),
            run.replace("\"command\":\"", "\"command\":null,\"more\":\""),
            run.replaceFirst("\"firstByte\":\\{[^}]*\\}", "\"firstByte\":null"),
            run.replace("\"seconds\":10.0", "\"seconds\":null"))) {
      refused(text);
    }
  }

  @Test
  void aMissingFileSaysWhoWritesIt() {
    IOException e =
        assertThrows(IOException.class, () -> ResultFiles.read(directory.resolve("none")));
    assertTrue(e.toString().contains("lab run"), e.toString());
  }

  private String run() throws IOException {
    ResultFiles.write(
        directory,
        List.of(ResultFixture.run("s", List.of(ResultFixture.step("a", 1, Map.of(), 1)))));
    String text = Files.readString(directory.resolve("results.json"));
    assertEquals(1, ResultFiles.read(directory).size());
    return text;
  }

  private IOException refused(String text) throws IOException {
    Path file = Files.writeString(directory.resolve("wrong.json"), text);
    return assertThrows(IOException.class, () -> ResultFiles.read(file), text);
  }

  private static StepResult withFirstByte(StepResult step, Latency first) {
    LoadTotals load = step.load();
    return new StepResult(
        step.name(),
        step.repetition(),
        step.dials(),
        new LoadTotals(
            load.seconds(),
            load.requests(),
            load.bodyBytes(),
            load.connections(),
            load.resumed(),
            load.errors(),
            first,
            load.lastByte(),
            load.lateness(),
            load.clientCores(),
            load.byObject()),
        step.server(),
        step.samples(),
        step.voids());
  }
}
