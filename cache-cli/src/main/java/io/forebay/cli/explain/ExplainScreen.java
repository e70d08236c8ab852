package io.forebay.cli.explain;

import io.forebay.cli.console.Output;
import io.forebay.cli.store.StoreScreen;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.JsonNode;

/** Formats an explanation for people: the result first, then its reasons. */
final class ExplainScreen {
  private final Output output;
  private final List<String> lines = new ArrayList<>();

  ExplainScreen(Output output) {
    this.output = output;
  }

  List<String> lines(JsonNode told) {
    JsonNode request = told.path("request");
    lines.add(output.strong(text(request, "method") + " " + text(request, "url")));
    answer(told.path("answer"));
    tls(told.path("tls"));
    rules(told.path("rules"));
    route(told.path("route"));
    key(told.path("key"));
    stored(told.path("stored"));
    age(told.path("age"));
    serve(told.path("serve"));
    origin(told.path("origin"));
    return List.copyOf(lines);
  }

  private static String text(JsonNode node, String name) {
    return node.path(name).asString("");
  }

  private void head(String title) {
    lines.add("");
    lines.add(output.strong(title));
  }

  private void row(String label, String value) {
    if (!value.isEmpty()) {
      lines.add(String.format(Locale.ROOT, "  %-18s %s", label, value).stripTrailing());
    }
  }

  private void answer(JsonNode answer) {
    String action = text(answer, "action");
    int status = answer.path("status").asInt(0);
    String said = action + (status == 0 ? "" : " " + status) + ", " + text(answer, "reason");
    lines.add(
        "  "
            + switch (action) {
              case "serve" -> output.good(said);
              case "refuse" -> output.bad(said);
              default -> said;
            });
    lines.add("  " + text(answer, "explanation"));
    row("Cache-Status", text(answer, "cacheStatus"));
  }

  private void tls(JsonNode tls) {
    if (!tls.isObject()) {
      return;
    }
    head("TLS");
    if (tls.path("listeners").isEmpty()) {
      lines.add("  " + output.bad("no listener serves this scheme"));
    }
    for (JsonNode listener : tls.path("listeners")) {
      String matched = text(listener, "matchedName");
      row(
          "listener " + text(listener, "listener"),
          text(listener, "entry")
              + (matched.isEmpty() ? ", for names without an entry" : ", by the name " + matched));
      row("versions", joined(listener.path("versions")) + "  (" + text(listener, "policy") + ")");
      row("client cert", text(listener, "clientAuth"));
      for (JsonNode certificate : listener.path("certificates")) {
        certificate(certificate);
      }
    }
    JsonNode hsts = tls.path("hsts");
    row(
        "HSTS",
        hsts.isObject()
            ? text(hsts, "value") + "  from " + text(hsts, "from")
            : "not set by the route; the origin's field is kept");
  }

  private void certificate(JsonNode certificate) {
    String names = joined(certificate.path("names"));
    row(
        text(certificate, "kind") + " certificate",
        (names.isEmpty() ? "no name" : names) + "; ends " + text(certificate, "notAfter"));
    if (!certificate.path("valid").asBoolean(true)) {
      row("", output.bad("expired, or not valid yet"));
    }
    if (!certificate.path("forHost").asBoolean(true)) {
      row("", output.bad("does not cover this host: clients reject it"));
    }
  }

  private void rules(JsonNode rules) {
    head("rules");
    for (JsonNode rule : rules) {
      String reason = text(rule, "reason");
      row(text(rule, "rule"), (reason.isEmpty() ? "" : reason + ": ") + text(rule, "text"));
    }
  }

  private void route(JsonNode route) {
    if (!route.isObject()) {
      return;
    }
    head("route " + text(route, "name"));
    row("matches", "host " + text(route, "host") + ", path " + text(route, "path"));
    row("origin", text(route, "origin"));
    row("client directives", text(route, "clientDirectives"));
    JsonNode recipe = route.path("key");
    row("key leaves out", joined(recipe.path("strip")));
    row("key keeps only", joined(recipe.path("keep")));
    row("key has fields", joined(recipe.path("headers")));
    row("key has cookies", joined(recipe.path("cookies")));
    JsonNode stale = route.path("stale");
    row(
        "stale use",
        "while revalidating "
            + seconds(stale.path("whileRevalidateMillis"))
            + ", on error "
            + seconds(stale.path("ifErrorMillis")));
  }

  private static String joined(JsonNode names) {
    List<String> texts = new ArrayList<>();
    names.forEach(name -> texts.add(name.asString("")));
    return String.join(", ", texts);
  }

  private void key(JsonNode key) {
    if (!key.isObject()) {
      return;
    }
    head("key");
    row("text", text(key, "text"));
    row("hash", text(key, "hash"));
    if (!text(key, "text").equals(text(key.path("base"), "text"))) {
      row("base", text(key.path("base"), "text"));
      row("base hash", text(key.path("base"), "hash"));
    }
    row("No-Vary-Search", text(key, "searchRule"));
  }

  private void stored(JsonNode stored) {
    if (!stored.isObject()) {
      return;
    }
    head("stored");
    row("varies by", joined(stored.path("variesBy")));
    for (JsonNode variant : stored.path("variants")) {
      row("variant", text(variant, "state") + "  " + text(variant, "key"));
    }
    JsonNode object =
        stored.path("object").isObject() ? stored.path("object") : stored.path("purged");
    if (!object.isObject()) {
      lines.add("  nothing for this request");
      return;
    }
    StoreScreen.object(output, lines, object);
    row("scopes", joined(object.path("scopes")));
  }

  private void age(JsonNode age) {
    if (!age.isObject()) {
      return;
    }
    head("age");
    row("request sent", text(age, "requestTime"));
    row("response received", text(age, "responseTime"));
    row("Date", text(age, "date"));
    row("apparent age", seconds(age.path("apparentAgeMillis")) + "  (response received - Date)");
    row(
        "corrected age",
        seconds(age.path("correctedAgeMillis"))
            + "  (Age "
            + seconds(age.path("ageValueMillis"))
            + " + delay "
            + seconds(age.path("responseDelayMillis"))
            + ")");
    row("resident", seconds(age.path("residentMillis")) + "  (now " + text(age, "now") + ")");
    row("current age", seconds(age.path("currentAgeMillis")) + "  (the larger age + resident)");
    row("lifetime", seconds(age.path("lifetimeMillis")) + "  from " + text(age, "lifetimeFrom"));
    row("fresh for", seconds(age.path("freshForMillis")));
    boolean isForbidden = age.path("staleForbidden").asBoolean(false);
    row(
        "stale use",
        isForbidden
            ? "forbidden by the response"
            : "while revalidating "
                + seconds(age.path("staleWhileRevalidateMillis"))
                + ", on error "
                + seconds(age.path("staleIfErrorMillis")));
    row("ETag", text(age, "etag"));
    row("Last-Modified", text(age, "lastModified"));
  }

  private static String seconds(JsonNode millis) {
    return String.format(Locale.ROOT, "%.3f s", millis.asLong(0) / 1000.0);
  }

  private void serve(JsonNode serve) {
    if (!serve.isObject()) {
      return;
    }
    head("conditions and ranges");
    row("would send", text(serve, "plan") + ", status " + serve.path("status").asInt(0));
    for (JsonNode range : serve.path("ranges")) {
      row("bytes", range.path("first").asLong(0) + "-" + range.path("last").asLong(0));
    }
  }

  private void origin(JsonNode origin) {
    if (!origin.isObject()) {
      return;
    }
    head(
        "to origin "
            + text(origin, "origin")
            + (origin.path("background").asBoolean(false) ? ", in the background" : ""));
    lines.add("  " + text(origin, "method") + " " + text(origin, "target"));
    for (JsonNode field : origin.path("fields")) {
      lines.add("  " + field.path(0).asString("") + ": " + field.path(1).asString(""));
    }
  }
}
