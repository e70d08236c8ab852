package io.forebay.server.admin;

import io.forebay.server.cluster.Cluster;
import io.forebay.server.config.ClusterConfig.Wait;
import io.forebay.server.json.AdminError;
import io.forebay.server.json.InputProblems;
import io.forebay.server.json.Json;
import io.forebay.server.node.NodeControl;
import io.forebay.server.purge.PurgeAudit;
import io.forebay.server.purge.PurgeDone;
import io.forebay.server.purge.PurgeOrder;
import io.forebay.server.purge.PurgeOrder.Reach;
import io.forebay.server.purge.PurgePredicate;
import io.forebay.server.purge.PurgeRefusedException;
import io.forebay.server.purge.PurgeRefusedException.Refusal;
import io.forebay.server.text.HttpUrls;
import io.forebay.server.text.Printable;
import io.forebay.storage.purge.PurgeEstimate;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.storage.purge.PurgeStatus;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code POST /v1/purge}: validates all parts of an order before the first purge, so a malformed
 * order purges nothing.
 */
final class PurgeEndpoint {
  private static final int MAX_ENTRIES = 256;
  private static final int MAX_TEXT_LENGTH = 8192;
  private static final int MAX_PATTERN_LENGTH = 512;
  private static final String HOST =
      "[A-Za-z0-9._-]+(:[0-9]{1,5})?|\\[[0-9A-Fa-f:.]+](:[0-9]{1,5})?";
  private static final Set<String> FIELDS =
      Set.of(
          "urls",
          "files",
          "tags",
          "surrogate_keys",
          "prefixes",
          "hosts",
          "patterns",
          "everything",
          "purge_everything",
          "soft",
          "storedBefore",
          "olderThan",
          "anyScheme",
          "anyPort",
          "dryRun",
          "wait",
          "waitMillis");
  private static final int MAX_TIME_LENGTH = 64;
  private static final Pattern AGE = Pattern.compile("([1-9][0-9]{0,8})([smhd])");
  private static final Map<String, Long> SECONDS =
      Map.of("s", 1L, "m", 60L, "h", 3_600L, "d", 86_400L);
  private static final Set<String> PATTERN_FIELDS = Set.of("path", "header", "host");

  /** A dry run looks at all there is for each of its entries. */
  private static final int MAX_DRY_RUN_ENTRIES = 16;

  /** For all of them together; what is not counted by then is said to be so. */
  private static final long DRY_RUN_MILLIS = 20_000;

  private static final int LATEST = 100;

  /** Purges of a call, the first ones, after which other schemes and ports are looked at. */
  private static final int MAX_LOOKS = 16;

  private final NodeControl node;
  private final Clock clock;

  PurgeEndpoint(NodeControl node, Clock clock) {
    this.node = node;
    this.clock = clock;
  }

  ObjectNode run(ObjectNode body, String caller) throws AdminError {
    long start = System.nanoTime();
    InputProblems problems = new InputProblems();
    List<PurgeOrder> orders = orders(body, problems);
    boolean isDryRun = Json.flag(body, "dryRun", false, problems);
    Wait wait = ClusterEndpoint.wait(body, problems);
    Duration waitMost = ClusterEndpoint.waitMost(body, problems);
    int most = isDryRun ? MAX_DRY_RUN_ENTRIES : MAX_ENTRIES;
    // Of an order that is too long nothing more needs to be known.
    for (PurgeOrder order : orders.size() > most ? List.<PurgeOrder>of() : orders) {
      String problem = node.purgeProblem(order);
      if (problem != null) {
        problems.add(
            order.kind().label() + " \"" + Printable.json(order.text()) + "\": " + problem);
      }
    }
    if (orders.isEmpty() && problems.isEmpty()) {
      problems.add("nothing to purge: give urls, tags, prefixes, hosts, patterns or everything");
    }
    if (orders.size() > most) {
      problems.add(
          orders.size() + " entries, at most " + most + (isDryRun ? " a dry run" : " a call"));
    }
    if (!problems.isEmpty()) {
      PurgeAudit.refused(caller, problems.size() + problems.leftOut());
      throw new AdminError(400, "the request is malformed, nothing was purged", problems);
    }
    ObjectNode answer = Json.object();
    if (isDryRun) {
      answer.put("dryRun", true);
    }
    ArrayNode purges = answer.putArray("purges");
    Cluster cluster = node.cluster();
    if (cluster != null && !isDryRun) {
      ClusterEndpoint.purge(cluster, orders, caller, wait, waitMost, answer, purges);
      orders = List.of();
    }
    for (PurgeOrder order : orders) {
      purges.add(
          isDryRun
              ? dryRun(order, DRY_RUN_MILLIS - (System.nanoTime() - start) / 1_000_000)
              : purge(order, caller, purges));
    }
    answer.put("tookMillis", Json.millis(System.nanoTime() - start));
    return answer;
  }

  /** {@code GET /v1/purges/ID}. */
  ObjectNode status(long id) throws AdminError {
    PurgeStatus status = node.purgeStatus(id);
    if (status == null) {
      throw new AdminError(
          404, "no purge " + id + " is known: it never existed, or later purges replaced it");
    }
    return json(status);
  }

  /** {@code GET /v1/purges}. */
  ObjectNode latest() {
    ObjectNode answer = Json.object();
    ArrayNode purges = answer.putArray("purges");
    node.latestPurges(LATEST).forEach(status -> purges.add(json(status)));
    return answer;
  }

  /** {@code POST /v1/purges/ID/undo}. */
  ObjectNode undo(long id, ObjectNode body, String caller) throws AdminError {
    List<String> problems = new InputProblems();
    Json.onlyKnown(body, Set.of(), problems);
    if (!problems.isEmpty()) {
      throw new AdminError(400, "the request is malformed, nothing was undone", problems);
    }
    PurgeOrder order = new PurgeOrder(PurgeKind.UNDO, String.valueOf(id), true);
    PurgeDone done;
    try {
      done = node.undo(id);
    } catch (PurgeRefusedException e) {
      throw undoRefused(String.valueOf(id), order, caller, e);
    }
    PurgeAudit.done(caller, order, done);
    return Json.object()
        .put("id", done.id())
        .put("kind", order.kind().label())
        .put("undone", id)
        .put("sequence", done.sequence())
        .put("tookMillis", Json.millis(done.tookNanos()));
  }

  /** The answer to an undo that was not made. */
  static AdminError undoRefused(
      String id, PurgeOrder order, String caller, PurgeRefusedException refused) {
    PurgeAudit.failed(caller, order, String.valueOf(refused.getMessage()));
    return new AdminError(
        switch (refused.refusal()) {
          case ORDER -> 400;
          case UNKNOWN -> 404;
          case FINAL -> 409;
          case JOURNAL -> 507;
          case FOR_NOW -> 503;
        },
        "the purge " + id + " is not undone: " + refused.getMessage());
  }

  private static ObjectNode json(PurgeStatus status) {
    ObjectNode one = Json.object();
    one.put("id", status.id());
    if (status.kind() == null) {
      one.putNull("kind");
    } else {
      one.put("kind", status.kind().label());
    }
    one.put("text", status.text());
    one.put("soft", status.soft());
    one.put("before", status.id());
    one.put("at", Instant.ofEpochMilli(status.atMillis()).toString());
    one.put("scopes", status.scopes());
    put(one, "matched", status.objects());
    put(one, "matchedBytes", status.bytes());
    one.put("swept", status.isSwept());
    if (status.soft() && status.kind() != PurgeKind.UNDO) {
      one.put("canBeUndone", status.canBeUndone());
      put(one, "undoneBy", status.undoneBy());
    }
    return one;
  }

  private static void put(ObjectNode into, String name, OptionalLong value) {
    if (value.isPresent()) {
      into.put(name, value.getAsLong());
    } else {
      into.putNull(name);
    }
  }

  private ObjectNode dryRun(PurgeOrder order, long mostMillis) throws AdminError {
    PurgeEstimate estimate;
    try {
      estimate = node.dryRun(order, Math.max(0, mostMillis));
    } catch (PurgeRefusedException e) {
      throw new AdminError(
          e.refusal() == Refusal.ORDER ? 400 : 503, String.valueOf(e.getMessage()));
    }
    ObjectNode one = Json.object();
    one.put("kind", order.kind().label());
    one.put("text", order.text());
    one.put("soft", order.isSoft());
    storedBefore(one, order);
    one.put("matched", estimate.objects());
    one.put("matchedBytes", estimate.bytes());
    one.put("complete", estimate.isComplete());
    ArrayNode parts = one.putArray("parts");
    for (PurgeEstimate.Part part : estimate.parts()) {
      ObjectNode place = parts.addObject();
      place.put("place", part.place());
      place.put("matched", part.objects());
      place.put("matchedBytes", part.bytes());
      place.put("uncounted", part.uncounted());
    }
    return one;
  }

  private ObjectNode purge(PurgeOrder order, String caller, ArrayNode before) throws AdminError {
    String kind = order.kind().label();
    String text = Printable.json(order.text());
    PurgeDone done;
    try {
      done = node.purge(order);
    } catch (PurgeRefusedException e) {
      PurgeAudit.failed(caller, order, String.valueOf(e.getMessage()));
      List<String> made = new ArrayList<>();
      before.forEach(one -> made.add("done: " + one.get("kind") + " " + one.get("text")));
      made.add("not done: \"" + kind + "\" \"" + text + "\" and what followed");
      throw new AdminError(
          switch (e.refusal()) {
            case ORDER -> 400;
            case JOURNAL -> 507;
            case FOR_NOW, UNKNOWN, FINAL -> 503;
          },
          (e.refusal() == Refusal.JOURNAL
                  ? "the purge could not be made durable: "
                  : "the purge was refused: ")
              + e.getMessage()
              + "; "
              + before.size()
              + " of the request's purges were done before",
          made);
    }
    PurgeAudit.done(caller, order, done);
    ObjectNode one = Json.object();
    one.put("id", done.id());
    one.put("kind", kind);
    one.put("text", order.text());
    one.put("soft", order.isSoft());
    storedBefore(one, order);
    one.put("sequence", done.sequence());
    put(one, "matched", done.matched());
    if (order.kind() == PurgeKind.URL && done.matched().orElse(1) == 0) {
      storedElsewhere(one, order, before.size());
    }
    one.put("tookMillis", Json.millis(done.tookNanos()));
    PurgeStatus status = node.purgeStatus(done.id());
    if (status != null) {
      one.put("before", status.id());
      one.put("at", Instant.ofEpochMilli(status.atMillis()).toString());
      one.put("scopes", status.scopes());
      put(one, "matchedBytes", done.matched().isPresent() ? status.bytes() : OptionalLong.empty());
      one.put("swept", status.isSwept());
    }
    return one;
  }

  /** The time that limits an order, if any. */
  static void storedBefore(ObjectNode one, PurgeOrder order) {
    if (order.storedBefore() != null) {
      one.put("storedBefore", order.storedBefore().toString());
    }
  }

  /** Of a URL that matched nothing: under which other scheme or port something is stored. */
  private void storedElsewhere(ObjectNode one, PurgeOrder order, int purgesBefore) {
    ArrayNode stored = one.putArray("storedUnder");
    if (purgesBefore < MAX_LOOKS) {
      node.storedElsewhere(order.text()).forEach(stored::add);
    }
  }

  private List<PurgeOrder> orders(ObjectNode body, List<String> problems) {
    Json.onlyKnown(body, FIELDS, problems);
    boolean isSoft = Json.flag(body, "soft", false, problems);
    boolean isAnyScheme = Json.flag(body, "anyScheme", false, problems);
    boolean isAnyPort = Json.flag(body, "anyPort", false, problems);
    Reach reach = isAnyPort ? Reach.ANY_PORT : isAnyScheme ? Reach.ANY_SCHEME : Reach.AS_WRITTEN;
    List<PurgeOrder> orders = new ArrayList<>();
    for (String field : List.of("urls", "files")) {
      for (String url : Json.texts(body, field, MAX_TEXT_LENGTH, problems)) {
        if (HttpUrls.isAbsolute(url)) {
          orders.add(new PurgeOrder(PurgeKind.URL, url, isSoft, reach));
        } else {
          problems.add(
              field + ": \"" + Printable.json(url) + "\" is not an absolute http or https URL");
        }
      }
    }
    if (reach != Reach.AS_WRITTEN && orders.isEmpty()) {
      problems.add("anyScheme and anyPort are for urls, and there are none");
    }
    for (String field : List.of("tags", "surrogate_keys")) {
      for (String tag : Json.texts(body, field, MAX_TEXT_LENGTH, problems)) {
        if (tag.isBlank()) {
          problems.add(field + ": a tag must not consist of spaces");
        } else {
          orders.add(new PurgeOrder(PurgeKind.TAG, tag, isSoft));
        }
      }
    }
    for (String prefix : Json.texts(body, "prefixes", MAX_TEXT_LENGTH, problems)) {
      if (prefix.indexOf('/') > 0) {
        orders.add(new PurgeOrder(PurgeKind.PREFIX, prefix, isSoft));
      } else {
        problems.add(
            "prefixes: \""
                + Printable.json(prefix)
                + "\" must name a host and a path, as in a.example/img/");
      }
    }
    for (String host : Json.texts(body, "hosts", MAX_TEXT_LENGTH, problems)) {
      if (host.matches(HOST)) {
        orders.add(new PurgeOrder(PurgeKind.HOST, host, isSoft));
      } else {
        problems.add("hosts: \"" + Printable.json(host) + "\" is not a host");
      }
    }
    for (ObjectNode pattern : Json.objects(body, "patterns", problems)) {
      pattern(pattern, isSoft, orders, problems);
    }
    boolean isEverything = Json.flag(body, "everything", false, problems);
    // Asked for either way, so that a wrong type in the alias is found too.
    isEverything = Json.flag(body, "purge_everything", false, problems) || isEverything;
    if (isEverything) {
      orders.add(new PurgeOrder(PurgeKind.EVERYTHING, "*", isSoft));
    }
    Instant storedBefore = storedBefore(body, problems);
    return storedBefore == null
        ? orders
        : orders.stream().map(order -> order.ofStoredBefore(storedBefore)).toList();
  }

  /** The time that limits all entries of a call; null for none. */
  private @Nullable Instant storedBefore(ObjectNode body, List<String> problems) {
    String time = Json.text(body, "storedBefore", MAX_TIME_LENGTH, problems);
    String age = Json.text(body, "olderThan", MAX_TIME_LENGTH, problems);
    if (time != null && age != null) {
      problems.add("storedBefore and olderThan say the same in two ways: give one");
      return null;
    }
    if (age != null) {
      Matcher matcher = AGE.matcher(age);
      if (matcher.matches()) {
        long seconds =
            Long.parseLong(matcher.group(1)) * SECONDS.getOrDefault(matcher.group(2), 1L);
        return clock.instant().minusSeconds(seconds).truncatedTo(ChronoUnit.MILLIS);
      }
      problems.add(
          "olderThan: \"" + Printable.json(age) + "\" is not an age such as 90s, 15m, 6h or 2d");
    } else if (time != null) {
      try {
        return Instant.parse(time);
      } catch (DateTimeParseException e) {
        problems.add(
            "storedBefore: \""
                + Printable.json(time)
                + "\" is not a time such as 2026-01-01T00:00:00Z");
      }
    }
    return null;
  }

  private static void pattern(
      ObjectNode pattern, boolean isSoft, List<PurgeOrder> orders, List<String> problems) {
    Json.onlyKnown(pattern, PATTERN_FIELDS, problems);
    String path = Json.text(pattern, "path", MAX_PATTERN_LENGTH, problems);
    String header = Json.text(pattern, "header", MAX_PATTERN_LENGTH, problems);
    String host = Json.text(pattern, "host", MAX_PATTERN_LENGTH, problems);
    if (host != null && !host.matches(HOST)) {
      problems.add("patterns: \"" + Printable.json(host) + "\" is not a host");
    } else if (path != null && header == null) {
      orders.add(new PurgeOrder(PurgeKind.PATTERN, PurgePredicate.onPath(host, path), isSoft));
    } else if (header != null && path == null) {
      orders.add(new PurgeOrder(PurgeKind.PATTERN, PurgePredicate.onHeader(host, header), isSoft));
    } else {
      problems.add("patterns: each requires either a path or a header; host is optional");
    }
  }
}
