package io.forebay.cli.doctor;

import io.forebay.cli.console.ByteSizes;
import io.forebay.server.config.MountTable.Mount;
import io.forebay.server.config.ServerConfig.DiskConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Directories of stores and of the journal: room, rights, file systems and mount options. */
final class DiskChecks {
  private static final Topic DATA =
      new Topic("data", "Purges are only kept over a crash if the journal is on a disk.");
  private static final Topic SPACE =
      new Topic("disk-space", "A store is written in its full size when it is first opened.");
  private static final Topic FILE_SYSTEM =
      new Topic(
          "disk-file-system",
          "Reads past the page cache and stable latency are known of some file systems only.");
  private static final Topic OPTIONS =
      new Topic(
          "disk-mount-options",
          "A store's file system needs neither devices nor times of access, which are writes.");

  private static final Topic BUFFERS =
      new Topic(
          "disk-buffers",
          "A direct read into pages of 4 KiB takes more than twice the CPU time of one into pages of 2"
              + " MiB.");

  private static final String PAGES = "sys/kernel/mm/transparent_hugepage/enabled";

  /** The data file of a store. */
  private static final String DATA_FILE = "disk.store";

  private static final long MIN_DATA_BYTES = 64 << 20;

  /** They support O_DIRECT. */
  private static final Set<String> GOOD = Set.of("ext4", "xfs");

  private static final Set<String> DIRECT = Set.of("ext4", "xfs", "ext3", "btrfs", "f2fs", "zfs");

  private DiskChecks() {}

  static List<Finding> of(Subject subject) {
    List<Finding> findings = new ArrayList<>();
    findings.add(data(subject));
    Map<Path, Long> needs = new HashMap<>();
    for (DiskConfig disk : subject.config().stores()) {
      Mount mount = subject.machine().mounts().under(disk.path());
      findings.add(space(subject, disk, mount, needs));
      if (mount != null) {
        findings.add(fileSystem(subject, disk, mount));
        findings.add(options(disk, mount));
      }
    }
    if (!subject.config().stores().isEmpty()) {
      findings.add(buffers(subject));
    }
    return findings;
  }

  /** A node asks for huge pages by itself unless that is forbidden. */
  private static Finding buffers(Subject subject) {
    String chosen = subject.machine().chosen(PAGES);
    return BUFFERS.hintUnless(
        !"never".equals(chosen),
        "transparent huge pages: " + (chosen == null ? "unknown" : chosen),
        "echo madvise > /" + PAGES);
  }

  private static Finding data(Subject subject) {
    Path data = subject.config().store().data();
    Mount mount = subject.machine().mounts().under(data);
    if (!subject.space().isWritable(data)) {
      return DATA.error(
          data + " cannot be written by this user",
          "install -d -o forebay -m 700 " + data + ", or run as its owner");
    }
    long free = subject.space().usableBytes(data);
    if (free < MIN_DATA_BYTES) {
      return DATA.error(
          data + " has " + ByteSizes.text(free) + " free", "free some space there: du -xh " + data);
    }
    boolean isInMemory = mount != null && mount.isInMemory();
    return DATA.warningUnless(
        !isInMemory,
        data + (mount == null ? "" : " on " + mount.type()),
        "store.data: a directory on a disk, such as /var/lib/forebay");
  }

  /** Stores that share a file system need the sum. */
  private static Finding space(
      Subject subject, DiskConfig disk, @Nullable Mount mount, Map<Path, Long> needs) {
    String place = "stores." + disk.name() + ": " + disk.path();
    if (!subject.space().isWritable(disk.path())) {
      return SPACE.error(
          place + " cannot be written by this user",
          "install -d -o forebay -m 700 " + disk.path() + ", or run as its owner");
    }
    if (subject.space().lengthOf(disk.path().resolve(DATA_FILE)) >= disk.bytes()) {
      return SPACE.ok(place + " has its file of " + ByteSizes.text(disk.bytes()));
    }
    Path at = mount == null ? disk.path() : mount.point();
    long needed = needs.merge(at, disk.bytes(), Long::sum);
    long free = subject.space().usableBytes(disk.path());
    String found =
        place
            + " has "
            + ByteSizes.text(free)
            + " free, for "
            + ByteSizes.text(needed)
            + (needed > disk.bytes() ? " of all stores there" : "");
    return free >= needed
        ? SPACE.ok(found)
        : SPACE.error(found, "stores." + disk.name() + ".size: less, or free some space");
  }

  private static Finding fileSystem(Subject subject, DiskConfig disk, Mount mount) {
    String found = "stores." + disk.name() + ": " + mount.type() + " on " + mount.point();
    if (mount.isInMemory()) {
      return FILE_SYSTEM.warning(found + ", in memory", "name a directory on a disk");
    }
    if (subject.config().store().diskIo().equals("direct") && !DIRECT.contains(mount.type())) {
      return FILE_SYSTEM.warning(
          found + ", not known to support O_DIRECT", "mkfs.xfs, or store.disk-io: buffered");
    }
    return FILE_SYSTEM.hintUnless(
        GOOD.contains(mount.type()), found, "use xfs or ext4 on a device of its own");
  }

  private static Finding options(DiskConfig disk, Mount mount) {
    List<String> missing = new ArrayList<>();
    if (!mount.options().contains("nodev")) {
      missing.add("nodev");
    }
    if (!mount.options().contains("noatime") && !mount.options().contains("relatime")) {
      missing.add("noatime");
    }
    return OPTIONS.hintUnless(
        missing.isEmpty(),
        "stores."
            + disk.name()
            + ": "
            + mount.point()
            + " is mounted "
            + String.join(",", mount.options()),
        "mount -o remount," + String.join(",", missing) + " " + mount.point() + " (and in fstab)");
  }
}
