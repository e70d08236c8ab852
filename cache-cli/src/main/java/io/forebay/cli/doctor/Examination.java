package io.forebay.cli.doctor;

import java.util.ArrayList;
import java.util.List;

/** All checks, in the order in which they are printed. */
final class Examination {
  private static final Topic CONFIGURATION =
      new Topic("configuration", "The checks compare the machine with what is configured.");

  private Examination() {}

  static List<Finding> of(Subject subject) {
    List<Finding> findings = new ArrayList<>();
    findings.add(CONFIGURATION.ok(subject.configured()));
    for (String warning : subject.warnings()) {
      findings.add(CONFIGURATION.warning(warning, "change the configuration as the line says"));
    }
    findings.addAll(RuntimeChecks.of(subject));
    findings.addAll(LimitChecks.of(subject));
    findings.addAll(MemoryChecks.of(subject));
    findings.addAll(GroupChecks.of(subject));
    findings.addAll(ProcessorChecks.of(subject));
    findings.addAll(InterruptChecks.of(subject));
    findings.addAll(NetworkChecks.of(subject));
    findings.addAll(PortChecks.of(subject));
    findings.addAll(DiskChecks.of(subject));
    findings.addAll(CertificateChecks.of(subject));
    findings.addAll(OriginChecks.of(subject));
    return findings;
  }
}
