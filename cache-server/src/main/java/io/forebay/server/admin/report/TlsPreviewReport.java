package io.forebay.server.admin.report;

import io.forebay.server.tls.TlsPreview;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What the TLS listeners would present to a client, as JSON. Fields are added, never renamed. */
final class TlsPreviewReport {
  private TlsPreviewReport() {}

  static void of(ArrayNode listeners, List<TlsPreview> forecasts, Instant now) {
    forecasts.forEach(forecast -> listener(listeners.addObject(), forecast, now));
  }

  private static void listener(ObjectNode node, TlsPreview forecast, Instant now) {
    node.put("listener", forecast.listener());
    node.put("entry", forecast.entry());
    node.put("matchedName", forecast.matchedName());
    node.put("policy", lower(forecast.policy()));
    ArrayNode versions = node.putArray("versions");
    forecast.versions().forEach(versions::add);
    node.put("clientAuth", lower(forecast.clientAuth()));
    ArrayNode certificates = node.putArray("certificates");
    for (TlsPreview.Leaf leaf : forecast.leaves()) {
      ObjectNode certificate = certificates.addObject().put("kind", leaf.kind());
      ArrayNode names = certificate.putArray("names");
      leaf.names().forEach(names::add);
      certificate.put("forHost", leaf.isForName());
      certificate.put("notBefore", leaf.notBefore().toString());
      certificate.put("notAfter", leaf.notAfter().toString());
      certificate.put("valid", !now.isBefore(leaf.notBefore()) && !now.isAfter(leaf.notAfter()));
    }
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
