package io.forebay.cli.store;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

/** The line of a disk. */
class StoreCommandTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0 | 0 | buffers none   errors 0",
        "16777216 | 16777216 | buffers 16 MiB in pages of 2 MiB   errors",
        "16777216 | 10485760 | buffers 16 MiB, 10 MiB of it in pages of 2 MiB   errors",
        "16777216 | 0 | buffers 16 MiB in pages of 4 KiB   errors",
      })
  void tellsWhichPagesTheBuffersHave(long bytes, long hugeBytes, String expected) {
    String line =
        StoreCommand.line(
            JsonMapper.shared()
                .createObjectNode()
                .put("name", "d0")
                .put("transitAllocatedBytes", bytes)
                .put("transitHugeBytes", hugeBytes));
    assertTrue(line.contains(expected), line);
  }
}
