package io.forebay.server.admin.report;

import io.forebay.core.key.FieldRecipe;
import io.forebay.core.key.KeyRecipe;
import io.forebay.core.key.UrlRecipe;
import io.forebay.core.route.FreshnessSettings;
import io.forebay.core.route.Route;
import io.forebay.core.route.RouteSettings;
import io.forebay.core.route.StaleSettings;
import java.time.Duration;
import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A route and its settings for requests and stored responses, as JSON. */
final class RouteReport {
  private RouteReport() {}

  static void of(ObjectNode node, Route route) {
    node.put("name", route.name());
    node.put("host", route.hostPattern());
    node.put("path", route.pathPrefix());
    node.put("origin", route.originName());
    RouteSettings settings = route.settings();
    node.put("passthrough", settings.passthrough());
    node.put("clientDirectives", word(settings.clientDirectives()));
    node.put("clientInvalidation", settings.clientInvalidation());
    node.put("storesPost", settings.storesPost());
    key(node.putObject("key"), route.keyRecipe());
    FreshnessSettings fresh = settings.freshness();
    ObjectNode freshness = node.putObject("freshness");
    freshness.put("defaultTtlMillis", millis(fresh.defaultTtl()));
    freshness.put("ttlOverrideMillis", millis(fresh.ttlOverride()));
    freshness.put("heuristic", fresh.heuristic());
    freshness.put("heuristicWithCookies", fresh.heuristicWithCookies());
    ArrayNode errors = freshness.putArray("heuristicErrors");
    fresh.heuristicErrors().stream().sorted().forEach(errors::add);
    freshness.put("storesBadRequests", fresh.storesBadRequests());
    names(freshness.putArray("targetedFields"), fresh.targetedFields());
    StaleSettings stale = settings.stale();
    ObjectNode staleness = node.putObject("stale");
    staleness.put("whileRevalidateMillis", millis(stale.whileRevalidate()));
    staleness.put("ifErrorMillis", millis(stale.ifError()));
    staleness.put("keepMillis", millis(stale.keep()));
    staleness.put("earlyRefreshPercent", stale.earlyRefreshPercent());
    node.put("setCookie", word(settings.cookies().setCookie()));
    names(node.putArray("passCookies"), settings.cookies().passing().patterns());
    node.put("rangeFetch", word(route.ranges().fetch()));
    node.put("maxRanges", route.ranges().maxRanges());
  }

  private static void key(ObjectNode node, KeyRecipe recipe) {
    UrlRecipe url = recipe.url();
    node.put("host", url.host());
    node.put("port", url.hasPort());
    node.put("scheme", url.hasScheme());
    node.put("foldPathCase", url.isFolded());
    node.put("ignoreQuery", url.query().isIgnored());
    node.put("sortQuery", url.query().isSorted());
    names(node.putArray("strip"), url.query().strip().patterns());
    names(node.putArray("keep"), url.query().keep().patterns());
    FieldRecipe fields = recipe.fields();
    names(node.putArray("headers"), fields.headers());
    names(node.putArray("cookies"), fields.cookies());
    node.put("device", fields.hasDevice());
    names(node.putArray("languages"), fields.languages());
    names(node.putArray("acceptClasses"), fields.accept().formats());
    names(node.putArray("ignoreHeaders"), fields.ignored());
    names(node.putArray("dropHeaders"), fields.unkeyed().drop());
    names(node.putArray("passHeaders"), fields.unkeyed().pass());
    node.put("variants", recipe.variants());
    node.put("noVarySearch", recipe.hasSearchRules());
    node.put("cachesQuery", recipe.cachesQuery());
  }

  private static void names(ArrayNode list, Collection<String> names) {
    names.forEach(list::add);
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  private static @Nullable Long millis(@Nullable Duration duration) {
    return duration == null ? null : duration.toMillis();
  }
}
