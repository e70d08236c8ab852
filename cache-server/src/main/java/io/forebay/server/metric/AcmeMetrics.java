package io.forebay.server.metric;

import io.forebay.server.tls.acme.AcmeCounters;
import io.forebay.server.tls.acme.AcmeCounters.SharedOutcome;
import io.forebay.server.tls.acme.AcmeFailure;
import java.util.function.ToDoubleFunction;

/** Metrics of certificates that the node orders by ACME. */
final class AcmeMetrics {
  private AcmeMetrics() {}

  static void add(MeterRegistrar meters, CachedReports from) {
    meters.counter(
        "forebay_acme_orders",
        "Orders for certificates that the node began (ACME).",
        () -> from.node().acme().orders());
    meters.counter(
        "forebay_acme_certificates",
        "Certificates that the node obtained (ACME).",
        () -> from.node().acme().issued());
    meters.counter(
        "forebay_acme_refused_names",
        "Handshakes for names of tls.acme.on-demand that a limit kept from an order.",
        () -> from.node().acme().refusedNames());
    meters.counter(
        "forebay_acme_unconfirmed_validations",
        "Validations that the node asked for although not all nodes of its cluster had confirmed"
            + " within 10 s that they give the answer.",
        () -> from.node().acme().unconfirmed());
    for (AcmeFailure failure : AcmeFailure.values()) {
      meters.counter(
          "forebay_acme_failures",
          "Failed attempts to order or renew a certificate, by cause.",
          () -> from.node().acme().failures(failure),
          "cause",
          failure.label());
    }
    for (SharedOutcome outcome : SharedOutcome.values()) {
      meters.counter(
          "forebay_acme_shared_certificates",
          "Certificates that the nodes of a cluster share: those that this node ordered and"
              + " published, those of other nodes that it took into use, and those that it"
              + " refused.",
          () -> from.node().acme().shared(outcome),
          "outcome",
          outcome.label());
    }
    names(meters, from, "all", AcmeCounters.Summary::names);
    names(meters, from, "with-certificate", AcmeCounters.Summary::withCertificate);
    names(meters, from, "failing", AcmeCounters.Summary::failing);
  }

  private static void names(
      MeterRegistrar meters,
      CachedReports from,
      String state,
      ToDoubleFunction<AcmeCounters.Summary> count) {
    meters.gauge(
        "forebay_acme_names",
        "Names for which the node orders certificates: all, those with a certificate in use,"
            + " and those whose last attempt failed, or that are due while etcd does not answer.",
        () -> count.applyAsDouble(from.node().acme().summary()),
        "state",
        state);
  }
}
