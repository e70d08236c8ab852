package io.forebay.server.metric;

import io.forebay.server.counters.TlsGroupCounters.Group;
import io.forebay.server.tls.CertificateStatus;
import io.micrometer.core.instrument.Meter;
import java.time.Instant;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Metrics of TLS handshakes with clients, and the remaining validity of certificates and OCSP
 * responses.
 */
final class TlsMetrics {
  private TlsMetrics() {}

  static void add(MeterRegistrar meters, CachedReports from) {
    String help = "TLS handshakes with clients, by result.";
    String name = "forebay_tls_handshakes";
    meters.counter(
        name, help, () -> from.sum(c -> c.tlsHandshakes - c.tlsResumed), "result", "full");
    meters.counter(name, help, () -> from.sum(c -> c.tlsResumed), "result", "resumed");
    meters.counter(name, help, () -> from.sum(c -> c.tlsFailures), "result", "failed");
    for (Group group : Group.values()) {
      meters.counter(
          "forebay_tls_groups",
          "TLS handshakes over TCP by the group that keys were exchanged with; other counts"
              + " handshakes without one as well.",
          () -> from.sum(c -> c.tlsGroups.handshakes(group)),
          "group",
          group.label());
    }
  }

  /** What is told of one certificate. */
  static List<Meter> addNamed(
      MeterRegistrar meters, CachedReports from, CertificateStatus certificate) {
    String name = certificate.name();
    String kind = certificate.kind();
    return List.of(
        meters.gauge(
            "forebay_tls_certificate_expiry_timestamp_seconds",
            "Time when each certificate expires, in seconds since 1970.",
            () -> read(from, name, kind, one -> one.notAfter().getEpochSecond()),
            "certificate",
            name,
            "kind",
            kind),
        meters.gauge(
            "forebay_tls_ocsp_expiry_timestamp_seconds",
            "Time when the stapled OCSP response expires, in seconds since 1970; 0 if none is"
                + " stapled.",
            () -> read(from, name, kind, TlsMetrics::stapledUntil),
            "certificate",
            name,
            "kind",
            kind));
  }

  private static double stapledUntil(CertificateStatus certificate) {
    Instant until = certificate.stapledUntil();
    return until == null ? 0 : until.getEpochSecond();
  }

  private static double read(
      CachedReports from, String name, String kind, ToDoubleFunction<CertificateStatus> which) {
    for (CertificateStatus one : from.certificates()) {
      if (one.name().equals(name) && one.kind().equals(kind)) {
        return which.applyAsDouble(one);
      }
    }
    return Double.NaN;
  }
}
