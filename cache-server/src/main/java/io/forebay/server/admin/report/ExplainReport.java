package io.forebay.server.admin.report;

import io.forebay.core.http.ByteRange.Satisfiable;
import io.forebay.core.http.FieldsView;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.TargetUri;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.ServePlan;
import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.server.explain.Explanation;
import io.forebay.server.json.Json;
import io.forebay.server.text.Printable;
import io.forebay.server.tls.TlsPreview;
import io.forebay.storage.inspect.InspectedObject;
import io.forebay.storage.inspect.StoreInspector;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** An explanation as JSON. Fields are added, never renamed. */
public final class ExplainReport {
  /** Their values are for the origin alone. */
  private static final Set<String> SECRET =
      Set.of("authorization", "proxy-authorization", "cookie");

  private static final String HIDDEN = "…";

  private final Explanation told;

  private ExplainReport(Explanation told) {
    this.told = told;
  }

  /**
   * The report.
   *
   * @param tls what TLS listeners would show this client
   */
  public static ObjectNode of(Explanation told, List<TlsPreview> tls, StoreInspector survey) {
    ExplainReport report = new ExplainReport(told);
    ObjectNode answer = Json.object();
    report.request(answer.putObject("request"));
    report.tls(answer, tls);
    report.answer(answer.putObject("answer"));
    report.route(answer);
    report.stored(answer);
    ArrayNode rules = answer.putArray("rules");
    told.rules().forEach(rule -> rule(rules.addObject(), rule));
    report.serve(answer);
    report.origin(answer);
    StoreReport.notes(answer, survey);
    told.notes().forEach(((ArrayNode) answer.get("notes"))::add);
    return answer;
  }

  private void request(ObjectNode node) {
    RequestView request = told.request();
    node.put("method", request.method());
    node.put("url", Printable.jsonWhole(TargetUri.of(request).toString()));
    fields(node.putArray("fields"), request.fields());
  }

  private static void fields(ArrayNode list, FieldsView fields) {
    fields.forEach((name, value) -> {
      String lower = name.toString().toLowerCase(Locale.ROOT);
      list.addArray()
          .add(lower)
          .add(SECRET.contains(lower) ? HIDDEN : Printable.jsonWhole(value.toString()));
    });
  }

  private void tls(ObjectNode answer, List<TlsPreview> tls) {
    if (!told.request().scheme().equals("https")) {
      answer.putNull("tls");
      return;
    }
    ObjectNode node = answer.putObject("tls");
    TlsPreviewReport.of(node.putArray("listeners"), tls, Instant.ofEpochMilli(told.nowMillis()));
    Explanation.Hsts hsts = told.hsts();
    if (hsts == null) {
      node.putNull("hsts");
    } else {
      node.putObject("hsts")
          .put("value", Printable.jsonWhole(hsts.value()))
          .put("from", hsts.isOfRoute() ? "route" : "stored");
    }
  }

  private void answer(ObjectNode node) {
    Explanation.Answer answer = told.answer();
    node.put("action", answer.action().name().toLowerCase(Locale.ROOT));
    node.put("reason", answer.reason().label());
    node.put("explanation", answer.reason().explanation());
    node.put("status", answer.status() == 0 ? null : (Integer) answer.status());
    node.put("cacheStatus", answer.cacheStatus());
  }

  private static void rule(ObjectNode node, Explanation.Rule rule) {
    Reason reason = rule.reason();
    node.put("rule", rule.name());
    node.put("reason", reason == null ? null : reason.label());
    node.put("text", Printable.jsonWhole(rule.text()));
  }

  private void route(ObjectNode answer) {
    Route route = told.route();
    if (route == null) {
      answer.putNull("route");
    } else {
      RouteReport.of(answer.putObject("route"), route);
    }
  }

  // --- stored -----------------------------------------------------------------------------------

  private void stored(ObjectNode answer) {
    Explanation.Sought sought = told.sought();
    if (sought == null) {
      answer.putNull("key").putNull("stored").putNull("age");
      return;
    }
    ObjectNode key = answer.putObject("key");
    key(key, sought.key());
    key(key.putObject("base"), sought.base());
    key.put("searchRule", sought.searchRule());
    ObjectNode stored = answer.putObject("stored");
    one(stored, "marker", sought.marker());
    ArrayNode varies = stored.putArray("variesBy");
    sought.selectingFields().forEach(varies::add);
    ArrayNode variants = stored.putArray("variants");
    sought.variants().forEach(one -> variants.add(StoreReport.brief(one, told.nowMillis())));
    one(stored, "object", sought.object());
    one(stored, "purged", sought.object() == null ? sought.purged() : null);
    InspectedObject object = sought.object();
    StoredMeta meta = object == null ? null : StoreReport.meta(object.head());
    Route route = told.route();
    if (meta == null || route == null) {
      answer.putNull("age");
    } else {
      AgeReport.of(answer.putObject("age"), meta, route, told.nowMillis());
    }
  }

  private static void key(ObjectNode node, Explanation.StoreKey key) {
    node.put("text", Printable.jsonWhole(key.text()));
    node.put("hash", hex(key.hi()) + hex(key.lo()));
  }

  private static String hex(long half) {
    return HexFormat.of().toHexDigits(half);
  }

  private void one(ObjectNode stored, String name, @Nullable InspectedObject one) {
    if (one == null) {
      stored.putNull(name);
      return;
    }
    ObjectNode node = StoreReport.full(one, TargetUri.of(told.request()), null, told.nowMillis());
    ArrayNode scopes = node.putArray("scopes");
    for (long scope : one.head().scopes()) {
      scopes.add(hex(scope));
    }
    stored.set(name, node);
  }

  // --- what is sent -----------------------------------------------------------------------------

  private void serve(ObjectNode answer) {
    Explanation.Serve serve = told.serve();
    if (serve == null) {
      answer.putNull("serve");
      return;
    }
    ObjectNode node = answer.putObject("serve");
    List<Satisfiable> parts =
        switch (serve.plan()) {
          case ServePlan.Range(long first, long last) -> List.of(new Satisfiable(first, last));
          case ServePlan.Ranges(List<Satisfiable> several) -> several;
          default -> List.of();
        };
    node.put(
        "plan",
        switch (serve.plan()) {
          case ServePlan.Whole() -> "whole";
          case ServePlan.Range ignored -> "range";
          case ServePlan.Ranges ignored -> "ranges";
          case ServePlan.NotModified() -> "not-modified";
          case ServePlan.PreconditionFailed() -> "precondition-failed";
          case ServePlan.Unsatisfiable() -> "unsatisfiable";
        });
    node.put("status", serve.status());
    ArrayNode ranges = node.putArray("ranges");
    parts.forEach(part -> ranges.addObject().put("first", part.first()).put("last", part.last()));
  }

  private void origin(ObjectNode answer) {
    Explanation.ToOrigin origin = told.origin();
    if (origin == null) {
      answer.putNull("origin");
      return;
    }
    ObjectNode node = answer.putObject("origin");
    node.put("origin", origin.origin());
    node.put("background", origin.isBackground());
    node.put("method", origin.request().method());
    node.put("target", Printable.jsonWhole(origin.request().target()));
    fields(node.putArray("fields"), origin.request().fields());
  }
}
