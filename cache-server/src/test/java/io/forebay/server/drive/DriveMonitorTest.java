package io.forebay.server.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From the directory of a disk store to what smartctl says of the drive below it. */
final class DriveMonitorTest {
  private static final String NVME =
      """
      {"smartctl": {"exit_status": 0}, "device": {"name": "/dev/nvme0n1", "type": "nvme"},
       "smart_status": {"passed": true}, "temperature": {"current": 41},
       "nvme_smart_health_information_log": {"available_spare": 97, "percentage_used": 12,
        "data_units_written": 1000000, "media_errors": 3}}
      """;

  @TempDir Path directory;

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void readsTheWearOfAnNvmeDrive() {
    assertEquals(
        new DriveHealth("d", "nvme0n1", 1, 41, 0.12, 0.97, 3, 512e9),
        SmartReport.read("d", "nvme0n1", bytes(NVME)));
  }

  @Test
  void readsTheWearOfOtherDrivesWhereSmartctlTellsIt() {
    DriveHealth health =
        SmartReport.read(
            "d",
            "sda",
            bytes(
                """
                {"smartctl": {"exit_status": 64}, "device": {"name": "/dev/sda", "type": "sat"},
                 "smart_status": {"passed": false}, "endurance_used": {"current_percent": 104},
                 "temperature": {"current": "warm"}}
                """));
    assertEquals(
        new DriveHealth("d", "sda", 0, Double.NaN, 1.04, Double.NaN, Double.NaN, Double.NaN),
        health);
  }

  @Test
  void whatIsNoReportOfADriveIsNone() {
    for (String wrong :
        List.of(
            "",
            "[]",
            "Segmentation fault",
            "{\"device\": 1}",
            "{\"smartctl\": {\"exit_status\": 2}, \"device\": {}}",
            "{".repeat(100_000))) {
      assertNull(SmartReport.read("d", "sda", bytes(wrong)), wrong);
    }
    assertEquals(
        "Smartctl open device: /dev/sda failed: Permission denied",
        SmartReport.problem(
            bytes(
                "{\"smartctl\": {\"exit_status\": 2, \"messages\": [{\"string\":"
                    + " \"Smartctl open device: /dev/sda failed: Permission denied\"}]}}")));
  }

  /** Of a kernel with a partition of an NVMe drive, a logical volume on it, a RAID and a loop. */
  private Path sys() throws IOException {
    Path sys = directory.resolve("sys");
    Path links = Files.createDirectories(sys.resolve("dev/block"));
    Path drive = Files.createDirectories(sys.resolve("devices/pci/nvme/nvme0n1"));
    Path partition = Files.createDirectories(drive.resolve("nvme0n1p2"));
    Files.writeString(partition.resolve("partition"), "2\n");
    Path volume = Files.createDirectories(sys.resolve("devices/virtual/block/dm-0/slaves"));
    Files.createSymbolicLink(volume.resolve("nvme0n1p2"), partition);
    Path raid = Files.createDirectories(sys.resolve("devices/virtual/block/md0/slaves"));
    Files.createSymbolicLink(raid.resolve("nvme0n1"), drive);
    Files.createSymbolicLink(raid.resolve("dm-0"), volume.getParent());
    Path loop = Files.createDirectories(sys.resolve("devices/virtual/block/loop0"));
    Files.createSymbolicLink(links.resolve("259:2"), partition);
    Files.createSymbolicLink(links.resolve("254:0"), Objects.requireNonNull(volume.getParent()));
    Files.createSymbolicLink(links.resolve("9:0"), Objects.requireNonNull(raid.getParent()));
    Files.createSymbolicLink(links.resolve("7:0"), loop);
    return sys;
  }

  private static long device(long major, long minor) {
    return (major & 0xFFF) << 8 | (minor & 0xFF);
  }

  @Test
  void findsTheDriveBelowPartitionsAndVolumes() throws Exception {
    BlockDevices devices = new BlockDevices(sys());
    assertEquals("nvme0n1", devices.driveOf(device(259, 2)));
    assertEquals("nvme0n1", devices.driveOf(device(254, 0)));
    assertNull(devices.driveOf(device(9, 0)), "several drives");
    assertNull(devices.driveOf(device(7, 0)), "a loop device has no SMART");
    assertNull(devices.driveOf(device(0, 42)), "a tmpfs");
  }

  private Path program(String script) throws IOException {
    Path program = directory.resolve("smartctl");
    Files.writeString(program, "#!/bin/sh\n" + script);
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    return program;
  }

  @Test
  void theProgramGetsTheDriveAndNothingOfTheEnvironment() throws Exception {
    Path program = program("echo \"$@\"; env | grep -v -e '^PATH=' -e '^PWD=' -e '^_=' -e SHLVL\n");
    Smartctl smartctl = new Smartctl(program, Duration.ofSeconds(20));
    assertEquals(
        "--json=c --all /dev/sda\n", new String(smartctl.report("sda"), StandardCharsets.UTF_8));
  }

  @Test
  void aProgramThatDoesNotEndOrDoesNotStopIsKilled() throws Exception {
    Smartctl stuck = new Smartctl(program("sleep 600 & wait\n"), Duration.ofMillis(200));
    IOException late = assertThrows(IOException.class, () -> stuck.report("sda"));
    assertTrue(String.valueOf(late.getMessage()).contains("took longer"), late.toString());
    Smartctl chatty =
        new Smartctl(program("while :; do echo 0123456789; done\n"), Duration.ofSeconds(20));
    IOException much = assertThrows(IOException.class, () -> chatty.report("sda"));
    assertTrue(String.valueOf(much.getMessage()).contains("more than"), much.toString());
  }

  @Test
  void aStoreWhoseDriveCannotBeAskedHasNoReadingAndTheOthersHave() throws Exception {
    Path sys = sys();
    Object own = Files.getAttribute(directory, "unix:dev");
    long device = (Long) own;
    long major = (device >>> 8 & 0xFFF) | (device >>> 32 & ~0xFFFL);
    long minor = (device & 0xFF) | (device >>> 12 & ~0xFFL);
    Path link = sys.resolve("dev/block/" + major + ":" + minor);
    if (!Files.exists(link)) {
      Files.createSymbolicLink(link, sys.resolve("devices/pci/nvme/nvme0n1"));
    }
    Path program = program("cat <<'END'\n" + NVME + "END\n");
    try (DriveMonitor monitor =
        new DriveMonitor(
            program,
            sys,
            () -> Map.of("here", directory, "gone", directory.resolve("not-there")))) {
      monitor.step();
      assertEquals(
          List.of(new DriveHealth("here", "nvme0n1", 1, 41, 0.12, 0.97, 3, 512e9)),
          monitor.latest());
      Files.delete(program);
      monitor.step();
      assertEquals(List.of(), monitor.latest());
    }
  }
}
