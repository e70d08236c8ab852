package io.forebay.lab.target;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class OpenFilesTest {
  private static int limit(String hard) {
    return OpenFiles.limit(
        List.of(
            "Limit                     Soft Limit           Hard Limit           Units     ",
            "Max open files            1024                 "
                + hard
                + "                files     "));
  }

  @Test
  void theHardLimitCountsUpToWhatServersMakeTablesOf() {
    assertEquals(20_000, limit("20000"));
    assertEquals(65_536, limit("1073741816"));
    assertEquals(65_536, limit("unlimited"));
  }

  @Test
  void thisMachineHasOne() throws IOException {
    assertTrue(OpenFiles.limit() > 0);
  }
}
