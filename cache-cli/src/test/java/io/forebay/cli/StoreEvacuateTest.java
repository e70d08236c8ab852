package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** The requests, the output and the exit codes of {@code store evacuate}. */
final class StoreEvacuateTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return Forebay.commandLine()
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }

  private static String disk(String state, double progress) {
    return "{\"stores\":[{\"name\":\"other\",\"state\":\"online\"},{\"name\":\"d\",\"state\":\""
        + state
        + "\",\"evacuation\":{\"progress\":"
        + progress
        + ",\"movedRecords\":1234,\"movedBytes\":2097152,\"droppedRecords\":5}}]}";
  }

  @Test
  void itWaitsUntilTheDiskIsEmptyAndSaysWhatBecameOfItsRecords() throws IOException {
    try (ScriptedAdmin admin = new ScriptedAdmin()) {
      admin
          .answers(200, disk("evacuating", 0))
          .answers(200, disk("evacuating", 0.5))
          .answers(200, disk("evacuated", 1));
      assertEquals(0, run("store", "evacuate", "d", "--admin-url", admin.url()), err.toString());
      assertEquals("/v1/stores/d", admin.asked().getFirst().target());
      assertEquals("evacuate", admin.asked().getFirst().json().path("action").asString(""));
      assertEquals("/v1/stores", admin.asked().getLast().target());
      assertTrue(
          out.toString()
              .endsWith(
                  "1,234 records moved (2.0 MiB), 5 dropped: disk d is empty and can be pulled\n"),
          out.toString());
      assertEquals("", err.toString(), "a bar where no terminal is");
    }
  }

  @Test
  void aDiskThatGoesOutOfServiceMeanwhileIsAFailure() throws IOException {
    try (ScriptedAdmin admin = new ScriptedAdmin()) {
      admin.answers(200, disk("evacuating", 0)).answers(200, disk("fenced", 1));
      assertEquals(1, run("store", "evacuate", "d", "--admin-url", admin.url()));
      assertEquals("forebay: disk d is fenced: it was not evacuated to the end\n", err.toString());
    }
  }

  @Test
  void withoutWaitingItReturnsAtOnceAndJsonIsTheDisk() throws IOException {
    try (ScriptedAdmin admin = new ScriptedAdmin()) {
      admin.answers(200, disk("evacuating", 0.25));
      int exit = run("store", "evacuate", "d", "--no-wait", "--json", "--admin-url", admin.url());
      assertEquals(0, exit, err.toString());
      assertEquals(1, admin.asked().size());
      assertTrue(
          out.toString().startsWith("{\"name\":\"d\",\"state\":\"evacuating\""), out.toString());
      assertEquals(1, out.toString().lines().count());
    }
  }

  @Test
  void cancellingHasTheDiskUsedAgain() throws IOException {
    try (ScriptedAdmin admin = new ScriptedAdmin()) {
      admin.answers(200, disk("online", 1));
      assertEquals(0, run("store", "evacuate", "d", "--cancel", "--admin-url", admin.url()));
      assertEquals(
          "cancel-evacuation", admin.asked().getFirst().json().path("action").asString(""));
      assertTrue(out.toString().contains("disk d is used again"), out.toString());
    }
  }

  @Test
  void aRefusalIsOneLine() throws IOException {
    try (ScriptedAdmin admin = new ScriptedAdmin()) {
      admin.answers(409, "{\"error\":\"disk d is offline\"}");
      assertEquals(1, run("store", "evacuate", "d", "--admin-url", admin.url()));
      assertEquals(1, err.toString().lines().count(), err.toString());
      assertTrue(err.toString().contains("disk d is offline"), err.toString());
    }
  }
}
