package io.forebay.server.metric;

import io.forebay.server.counters.LoopCounters;
import io.forebay.server.tls.CertificateStatus;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.time.Instant;
import java.util.List;

/** Handshakes with clients, and how long certificates and their OCSP answers last. */
final class TlsMetrics {
  private TlsMetrics() {}

  static void collect(
      MetricSnapshots.Builder all, List<LoopCounters> loops, List<CertificateStatus> certificates) {
    CounterSnapshot.Builder handshakes =
        CounterSnapshot.builder()
            .name("forebay_tls_handshakes")
            .help("TLS handshakes with clients, by result.");
    long done = 0;
    long resumed = 0;
    long failed = 0;
    for (LoopCounters loop : loops) {
      done += loop.tlsHandshakes;
      resumed += loop.tlsResumed;
      failed += loop.tlsFailures;
    }
    handshakes
        .dataPoint(count(done - resumed, "full"))
        .dataPoint(count(resumed, "resumed"))
        .dataPoint(count(failed, "failed"));
    all.metricSnapshot(handshakes.build());
    GaugeSnapshot.Builder expiry =
        GaugeSnapshot.builder()
            .name("forebay_tls_certificate_expiry_timestamp_seconds")
            .help("Time when each certificate expires, in seconds since 1970.");
    GaugeSnapshot.Builder stapled =
        GaugeSnapshot.builder()
            .name("forebay_tls_ocsp_expiry_timestamp_seconds")
            .help(
                "Time when the stapled OCSP response expires, in seconds since 1970; 0 if none is"
                    + " stapled.");
    for (CertificateStatus certificate : certificates) {
      Labels labels = Labels.of("certificate", certificate.name(), "kind", certificate.kind());
      Instant until = certificate.stapledUntil();
      expiry.dataPoint(level(certificate.notAfter().getEpochSecond(), labels));
      stapled.dataPoint(level(until == null ? 0 : until.getEpochSecond(), labels));
    }
    all.metricSnapshot(expiry.build());
    all.metricSnapshot(stapled.build());
  }

  private static CounterSnapshot.CounterDataPointSnapshot count(long value, String result) {
    return CounterSnapshot.CounterDataPointSnapshot.builder()
        .value((double) value)
        .labels(Labels.of("result", result))
        .build();
  }

  private static GaugeSnapshot.GaugeDataPointSnapshot level(long value, Labels labels) {
    return GaugeSnapshot.GaugeDataPointSnapshot.builder()
        .value((double) value)
        .labels(labels)
        .build();
  }
}
