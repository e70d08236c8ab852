package io.forebay.lab.target;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class OtherCoresTest {

  @Test
  void othersGetWhatTheServerLeaves() {
    CpuList four = CpuList.parse("0-3");
    assertEquals("2,3", OtherCores.besides(four, "0-1").text());
    assertEquals("0,1,2,3", OtherCores.besides(four, null).text());
    assertEquals("0,1,2,3", OtherCores.besides(four, "0-3").text());
    assertEquals("1,2,3", OtherCores.besides(four, "0,7").text());
  }

  @Test
  void processesAreMovedAndSoIsThisOne() throws Exception {
    CpuList all = CpuList.available();
    String first = Integer.toString(all.numbers().getFirst());
    Process process = new ProcessBuilder("sleep", "60").start();
    try {
      OtherCores.use(List.of(process.toHandle()), first);
      CpuList others = OtherCores.besides(all, first);
      assertEquals(others, allowed(process.pid()));
      assertEquals(others, CpuList.available());
    } finally {
      process.destroy();
      assertTrue(process.waitFor() != 0);
    }
    OtherCores.use(List.of(process.toHandle()), null);
    assertEquals(all, CpuList.available());
  }

  private static CpuList allowed(long pid) throws IOException {
    String status = Files.readString(Path.of("/proc/" + pid + "/status"));
    return CpuList.parse(
        status.substring(status.indexOf("Cpus_allowed_list:")).split("\\s+", 3)[1]);
  }
}
