package io.forebay.server.admin.report;

import io.forebay.core.policy.Age;
import io.forebay.core.policy.Decider;
import io.forebay.core.policy.StaleWindow;
import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.core.route.StaleSettings;
import io.forebay.server.text.Printable;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * The age and freshness of a stored response, with each step of the calculation (RFC 9111 §4.2).
 */
final class AgeReport {
  private AgeReport() {}

  static void of(ObjectNode node, StoredMeta meta, Route route, long nowMillis) {
    long current = Age.currentAgeMillis(meta, nowMillis);
    node.put("now", at(nowMillis));
    node.put("requestTime", at(meta.requestTimeMillis()));
    node.put("responseTime", at(meta.responseTimeMillis()));
    node.put("date", at(meta.dateMillis()));
    node.put("ageValueMillis", meta.ageValueSeconds() * 1000);
    node.put("apparentAgeMillis", Age.apparentMillis(meta));
    node.put("responseDelayMillis", Age.delayMillis(meta));
    node.put("correctedAgeMillis", meta.ageValueSeconds() * 1000 + Age.delayMillis(meta));
    node.put("residentMillis", Age.residentMillis(meta, nowMillis));
    node.put("currentAgeMillis", current);
    node.put("lifetimeMillis", meta.freshnessLifetimeMillis());
    node.put("lifetimeFrom", lifetimeFrom(meta, route));
    node.put("freshForMillis", meta.freshnessLifetimeMillis() - current);
    node.put("clockBehind", Age.isClockBehind(meta, nowMillis));
    node.put("noCache", meta.isNoCache());
    node.put("mustRevalidate", meta.isMustRevalidate());
    node.put("immutable", meta.isImmutable());
    node.put("etag", shown(meta.etag()));
    node.put("lastModified", shown(meta.lastModified()));
    StaleSettings stale = route.settings().stale();
    node.put("staleForbidden", Decider.isStaleForbidden(meta, nowMillis));
    node.put("staleWhileRevalidateMillis", StaleWindow.whileRevalidateMillis(meta, stale));
    node.put("staleIfErrorMillis", StaleWindow.ifErrorMillis(meta, stale));
    Duration keep = stale.keep();
    node.put("keepMillis", keep == null ? null : (Long) keep.toMillis());
  }

  /** As far as it is stored: what else there was is in the stored fields. */
  private static String lifetimeFrom(StoredMeta meta, Route route) {
    Duration override = route.settings().freshness().ttlOverride();
    if (override != null && meta.freshnessLifetimeMillis() == override.toMillis()) {
      return "the route's ttl-override";
    }
    if (meta.isHeuristic()) {
      return "a tenth of the time since Last-Modified";
    }
    return meta.hasSharedMaxAge() ? "s-maxage" : "max-age, Expires or the route's settings";
  }

  private static String at(long millis) {
    return Instant.ofEpochMilli(millis).toString();
  }

  private static @Nullable String shown(@Nullable String text) {
    return text == null ? null : Printable.jsonWhole(text);
  }
}
