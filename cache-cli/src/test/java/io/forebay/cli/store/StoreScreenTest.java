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
  void sharesOfDisksAreShownWhereThereAreAny() {
    List<String> lines =
        stat(
            """
            {"parts": [{"tier": "memory", "segment": "probation", "capacityBytes": 1048576},
                       {"tier": "nvme0", "segment": "", "capacityBytes": 4194304}],
             "classes": [
              {"class": "video", "memoryObjects": 5, "memoryBytes": 2097152, "diskObjects": 9,
               "diskBytes": 3145728, "tier": "default", "quotaBytes": 1048576, "floorBytes": 0,
               "pinnedBytes": 0, "diskQuotaBytes": 2097152, "diskFloorBytes": 0},
              {"class": "shop", "diskQuotaBytes": 4194304, "diskFloorBytes": 1048576}]}
            """);
    List<String> table = lines.subList(lines.size() - 3, lines.size());
    assertEquals(
        List.of(
            "class                objects in memory  on disks     quota     floor    pinned"
                + " disk quota disk floor",
            "video                      9   2.0 MiB   3.0 MiB   1.0 MiB         -         -"
                + "    2.0 MiB          -",
            "shop                       0       0 B       0 B         -         -         -"
                + "    4.0 MiB    1.0 MiB"),
        table);
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
  void whatWasWrittenToEachDiskIsATable() {
    List<String> lines =
        stat(
            """
            {"parts": [], "classes": [], "disks": [
              {"name": "nvme0", "state": "online", "endurance": {"writtenBytes": 2199023255552,
               "dayBytes": 1073741824, "dailyBudgetBytes": 0, "admission": "open",
               "driveWritesPerDay": 0.314, "yearsLeft": 8.41}},
              {"name": "nvme1", "state": "online", "endurance": {"writtenBytes": 4096,
               "dayBytes": 4096, "dailyBudgetBytes": 2048, "admission": "closed",
               "driveWritesPerDay": null, "yearsLeft": null}}]}
            """);
    assertEquals(
        List.of(
            "",
            "written               in all   in 24 h    budget      DWPD     years  writes now",
            "nvme0                2.0 TiB   1.0 GiB         -      0.31       8.4  all",
            "nvme1                4.0 KiB   4.0 KiB   2.0 KiB         -         -  nothing: budget"
                + " used up"),
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
