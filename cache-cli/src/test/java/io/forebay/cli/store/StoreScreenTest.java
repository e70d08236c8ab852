package io.forebay.cli.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.forebay.cli.console.Output;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** The figures of a store as text. */
class StoreScreenTest {
  private static final Output PLAIN =
      new Output(
          new PrintWriter(Writer.nullWriter()), new PrintWriter(Writer.nullWriter()), false, false);

  private static List<String> stat(String json) {
    return StoreScreen.stat(PLAIN, JsonMapper.shared().readTree(json));
  }

  @Test
  void storageClassesAreATableWhereThereAreAny() {
    List<String> lines =
        stat(
            """
            {"parts": [], "classes": [
              {"class": "default", "memoryObjects": 1200, "memoryBytes": 4096, "diskObjects": 3,
               "diskBytes": 1024},
              {"class": "video", "memoryObjects": 5, "memoryBytes": 2097152, "diskObjects": 9,
               "diskBytes": 3145728, "tier": "disk", "quotaBytes": 1048576, "floorBytes": 0,
               "pinnedBytes": 524288}]}
            """);
    assertEquals(
        List.of(
            "",
            "class                objects in memory  on disks     quota     floor    pinned",
            "default                1,200   4.0 KiB   1.0 KiB         -         -         -",
            "video                      9   2.0 MiB   3.0 MiB   1.0 MiB         -   512 KiB"),
        lines.subList(1, lines.size()));
  }

  @Test
  void theDefaultClassAloneIsNoTable() {
    List<String> lines =
        stat(
            """
            {"parts": [], "classes": [{"class": "default", "memoryObjects": 1}]}
            """);
    assertFalse(String.join("\n", lines).contains("class"));
  }
}
