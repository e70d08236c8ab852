package io.forebay.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The JVM and its options, and the kernel. */
final class RuntimeChecks {
  private static final Topic JAVA =
      new Topic("java", "The node needs a JDK of release 25 or newer, with its compiler.");
  private static final Topic OPTIONS =
      new Topic(
          "java-options",
          "The serial collector leaves the CPUs to the event loops, and the JVM's statistics file"
              + " can stall all threads.");
  private static final Topic KERNEL =
      new Topic(
          "kernel", "Older kernels lack segmentation of UDP and the pressure that memory reports.");

  private static final int NEEDED_JAVA = 25;
  private static final int NEEDED_KERNEL = 5;

  private RuntimeChecks() {}

  static List<Finding> of(Subject subject) {
    JvmFacts java = subject.java();
    List<Finding> findings = new ArrayList<>();
    if (java.feature() < NEEDED_JAVA || !java.isJdk()) {
      findings.add(
          JAVA.error(
              java.version() + (java.isJdk() ? "" : ", without the module jdk.compiler"),
              "apt-get install temurin-25-jdk"));
    } else {
      findings.add(JAVA.ok(java.version()));
    }
    findings.add(options(java.arguments()));
    findings.add(kernel(subject.machine().text("proc/sys/kernel/osrelease")));
    return findings;
  }

  private static Finding options(List<String> arguments) {
    List<String> missing = new ArrayList<>();
    for (String wanted : List.of("-XX:+UseSerialGC", "-XX:+PerfDisableSharedMem")) {
      if (!arguments.contains(wanted)) {
        missing.add(wanted);
      }
    }
    return OPTIONS.hintUnless(
        missing.isEmpty(),
        missing.isEmpty() ? "as ./forebay sets them" : "without " + String.join(", ", missing),
        "start with ./forebay, or with java " + String.join(" ", missing) + " -jar forebay.jar");
  }

  private static Finding kernel(@Nullable String release) {
    if (release == null || !release.matches("[0-9]{1,4}\\..*")) {
      return KERNEL.hint("unknown", "run on Linux");
    }
    int major = Integer.parseInt(release.substring(0, release.indexOf('.')));
    return KERNEL.warningUnless(
        major >= NEEDED_KERNEL, "Linux " + release, "upgrade to Linux 5 or newer");
  }
}
