package io.forebay.cli.doctor;

import io.forebay.cli.console.ByteSizes;
import io.forebay.server.config.MountTable.Mount;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Memory: whether everything fits, where the memory tier lies, pages, swap. */
final class MemoryChecks {
  private static final Topic MEMORY =
      new Topic(
          "memory", "Memory tier, index, heap and direct memory have to fit, or the kernel kills.");
  private static final Topic DIRECTORY =
      new Topic(
          "memory-directory",
          "A memory tier on a tmpfs outlives the process, so that a restart is warm.");
  private static final Topic HUGE_PAGES =
      new Topic("huge-pages", "With pages of 4 KiB, lookups in a large memory tier miss the TLB.");
  private static final Topic DEFRAGMENTATION =
      new Topic(
          "huge-page-defrag",
          "With always, any thread that touches new memory waits until the kernel has moved pages.");
  private static final Topic SWAP =
      new Topic("swap", "Heap and buffers that are swapped out make requests wait for a disk.");
  private static final Topic OVERCOMMIT =
      new Topic(
          "overcommit", "With strict accounting the kernel may refuse memory that is still free.");

  private static final String DEFRAG = "sys/kernel/mm/transparent_hugepage/defrag";
  private static final Path DEFAULT_PLACE = Path.of("/dev/shm");
  private static final long HUGE_PAGES_MATTER = 1L << 30;
  private static final int STRICT = 2;

  private MemoryChecks() {}

  static List<Finding> of(Subject subject) {
    List<Finding> findings = new ArrayList<>(memory(subject));
    Path named = subject.config().store().memoryDirectory();
    Path place = named == null ? DEFAULT_PLACE : named;
    Mount mount = subject.machine().mounts().under(place);
    findings.add(directory(subject, place, mount, named != null));
    findings.add(hugePages(subject, place, mount));
    String defrag = subject.machine().chosen(DEFRAG);
    findings.add(
        DEFRAGMENTATION.hintUnless(
            !"always".equals(defrag),
            "transparent_hugepage/defrag: " + (defrag == null ? "unknown" : defrag),
            "echo madvise > /" + DEFRAG));
    findings.add(swap(subject.machine()));
    findings.add(overcommit(subject.machine()));
    return findings;
  }

  private static List<Finding> memory(Subject subject) {
    String fix = "set store.memory, or options of the JVM in FOREBAY_JAVA_OPTS, as the line says";
    List<Finding> findings = new ArrayList<>();
    subject.start().errors().forEach(error -> findings.add(MEMORY.error(error, fix)));
    subject.start().warnings().forEach(warning -> findings.add(MEMORY.warning(warning, fix)));
    return findings.isEmpty() ? List.of(MEMORY.ok(subject.start().memory())) : findings;
  }

  private static Finding directory(
      Subject subject, Path place, @Nullable Mount mount, boolean isNamed) {
    if (mount == null || !mount.isInMemory()) {
      // The configuration's own warning is about a named one on a disk.
      String type = mount == null ? "no mount that is known" : mount.type();
      return DIRECTORY.warning(
          place + " is on " + type, "mount -t tmpfs -o size=75%,nodev,nosuid tmpfs " + place);
    }
    long tier = subject.start().tierBytes();
    long total = subject.space().totalBytes(place);
    String found =
        place
            + ", "
            + mount.type()
            + " of "
            + ByteSizes.text(total)
            + ", for a memory tier of "
            + ByteSizes.text(tier);
    boolean isLarge = total == 0 || total >= tier;
    // One that is named and too small is an error of the memory's check.
    return DIRECTORY.warningUnless(
        isLarge || isNamed,
        found,
        "mount -o remount,size=" + ((tier >> 30) + 2 + (tier >> 34)) + "G " + mount.point());
  }

  private static Finding hugePages(Subject subject, Path place, @Nullable Mount mount) {
    if (subject.start().tierBytes() < HUGE_PAGES_MATTER) {
      return HUGE_PAGES.ok("not needed for a memory tier below 1 GiB");
    }
    if (mount == null || !mount.isInMemory() || !mount.type().equals("tmpfs")) {
      boolean isHuge = mount != null && mount.type().equals("hugetlbfs");
      return isHuge
          ? HUGE_PAGES.ok("hugetlbfs")
          : HUGE_PAGES.hint("none that is known at " + place, "use a tmpfs with huge=within_size");
    }
    String option =
        mount.options().stream()
            .filter(one -> one.startsWith("huge="))
            .findFirst()
            .orElse("without huge=");
    boolean isOffered = option.startsWith("huge=") && !option.equals("huge=never");
    String shmem = subject.machine().chosen("sys/kernel/mm/transparent_hugepage/shmem_enabled");
    boolean isDenied = "deny".equals(shmem);
    return HUGE_PAGES.hintUnless(
        (isOffered && !isDenied) || "force".equals(shmem),
        mount.point() + " is mounted " + option + (isDenied ? ", and shmem_enabled is deny" : ""),
        isDenied
            ? "echo advise > /sys/kernel/mm/transparent_hugepage/shmem_enabled"
            : "mount -o remount,huge=within_size " + mount.point());
  }

  private static Finding swap(KernelFiles machine) {
    long bytes = machine.memory("SwapTotal").orElse(0);
    return SWAP.hintUnless(
        bytes == 0,
        bytes == 0 ? "none" : ByteSizes.text(bytes),
        "swapoff -a, or memory.swap.max=0 for the node's control group (systemd: MemorySwapMax=0)");
  }

  private static Finding overcommit(KernelFiles machine) {
    OptionalLong mode = machine.sysctl("vm.overcommit_memory");
    return OVERCOMMIT.warningUnless(
        mode.orElse(0) != STRICT,
        "vm.overcommit_memory = " + (mode.isEmpty() ? "unknown" : mode.getAsLong()),
        "sysctl -w vm.overcommit_memory=0");
  }
}
