package io.forebay.server.cluster.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FleetJsonTest {
  @Test
  void whatIsWrittenIsReadAsItWas() throws FleetException {
    Rollout rollout =
        Rollout.NONE
            .begin(
                "id",
                7,
                List.of(RolloutStage.parse("a,b@90s"), RolloutStage.parse("group:g")),
                new RolloutGuard(0.5, 20),
                "127.0.0.1",
                "2026-01-01T00:00:00Z")
            .advance(new TrafficCounts(4, 3, 2, 1), "baked", "a", "2026-01-01T00:01:30Z");
    assertEquals(rollout, FleetJson.rollout(FleetJson.text(FleetJson.json(rollout))));
    DocumentVersion version =
        new DocumentVersion(7, "me", "then", "note", 3, 4711, "ab".repeat(32));
    assertEquals(version, FleetJson.documentVersion(FleetJson.text(FleetJson.json(version))));
    NodeReport report =
        new NodeReport(
            "a",
            "g",
            true,
            6,
            7,
            "why",
            true,
            "id:0:6",
            new TrafficCounts(8, 7, 6, 5),
            new TrafficCounts(9, 8, 7, 6));
    assertEquals(report, FleetJson.report("a", "g", true, FleetJson.text(report)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{",
        "{}",
        "{\"version\":-1,\"candidate\":0}",
        "{\"version\":1,\"candidate\":2,\"stages\":[\"all\"],\"stage\":1}",
        "{\"version\":1,\"candidate\":2,\"stages\":[\"all\"],\"stage\":-1}",
        "{\"version\":1,\"candidate\":2,\"stages\":[],\"stage\":0}",
        "{\"version\":1,\"candidate\":2,\"stages\":[\"nobody at all\"],\"stage\":0}",
        "{\"version\":1,\"candidate\":2,\"stages\":[\"all\"],\"stage\":0,\"maxErrors\":-3}"
      })
  void aRolloutThatDoesNotFitTogetherIsNone(String json) {
    assertNull(FleetJson.rollout(json));
    assertNull(FleetJson.documentVersion(json));
  }

  @Test
  void aReportThatCannotBeReadIsOfANodeThatDoesNotSay() {
    NodeReport silent = FleetJson.report("a", "g", true, "nonsense");
    assertEquals(-1, silent.version());
    assertFalse(silent.isReady());
    assertEquals(silent, FleetJson.report("a", "g", true, null));
  }

  @Test
  void whyANodeRefusesAVersionIsReadAlsoWhereItHasSeveralLinesOrIsLong() {
    String why = "two\nlines " + "x".repeat(5_000);
    NodeReport report =
        new NodeReport("a", "g", true, 6, 7, why, true, "", TrafficCounts.NONE, TrafficCounts.NONE);
    String read = FleetJson.report("a", "g", true, FleetJson.text(report)).problem();
    assertEquals("two?lines " + "x".repeat(490) + "…", read);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "all@",
        "all@5",
        "all@5d",
        "@5m",
        "a,,b",
        "group:",
        "a b",
        "all@999999h",
        "a@1m@2m"
      })
  void aStageThatIsNoneIsRefused(String text) {
    assertThrows(FleetException.class, () -> RolloutStage.parse(text));
  }
}
