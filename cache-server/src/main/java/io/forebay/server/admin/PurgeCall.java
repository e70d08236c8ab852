package io.forebay.server.admin;

import io.forebay.server.admin.Node.PurgeDone;
import io.forebay.server.admin.Node.PurgeKind;
import io.forebay.server.admin.Node.PurgeOrder;
import io.forebay.server.admin.Node.PurgeRefusedException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code POST /v1/purge}: all that is wrong with an order is found before the first purge is made,
 * so that a malformed order purges nothing.
 */
final class PurgeCall {
  private static final Logger AUDIT = LoggerFactory.getLogger("forebay.audit");
  private static final int MAX_ENTRIES = 256;
  private static final int MAX_TEXT_LENGTH = 8192;
  private static final Set<String> FIELDS =
      Set.of(
          "urls",
          "files",
          "tags",
          "surrogate_keys",
          "prefixes",
          "hosts",
          "everything",
          "purge_everything",
          "soft");

  private final Node node;

  PurgeCall(Node node) {
    this.node = node;
  }

  ObjectNode run(ObjectNode body, String caller) throws AdminError {
    long start = System.nanoTime();
    List<String> problems = new ArrayList<>();
    List<PurgeOrder> orders = orders(body, problems);
    for (PurgeOrder order : orders) {
      String problem = node.purgeProblem(order);
      if (problem != null) {
        problems.add(
            order.kind().name().toLowerCase(Locale.ROOT)
                + " \""
                + Json.shown(order.text())
                + "\": "
                + problem);
      }
    }
    if (orders.isEmpty() && problems.isEmpty()) {
      problems.add("nothing to purge: give urls, tags, prefixes, hosts or everything");
    }
    if (orders.size() > MAX_ENTRIES) {
      problems.add(orders.size() + " entries, at most " + MAX_ENTRIES + " a call");
    }
    if (!problems.isEmpty()) {
      AUDIT.warn("purge refused caller={} problems={}", caller, problems.size());
      throw new AdminError(400, "the order is malformed, nothing was purged", problems);
    }
    ObjectNode answer = Json.object();
    ArrayNode purges = answer.putArray("purges");
    for (PurgeOrder order : orders) {
      purges.add(purge(order, caller, purges));
    }
    answer.put("tookMillis", millis(System.nanoTime() - start));
    return answer;
  }

  private ObjectNode purge(PurgeOrder order, String caller, ArrayNode before) throws AdminError {
    String kind = order.kind().name().toLowerCase(Locale.ROOT);
    String text = Json.shown(order.text());
    PurgeDone done;
    try {
      done = node.purge(order);
    } catch (PurgeRefusedException e) {
      AUDIT.error(
          "purge failed caller={} kind={} text=\"{}\" soft={} reason=\"{}\"",
          caller,
          kind,
          text,
          order.isSoft(),
          e.getMessage());
      List<String> made = new ArrayList<>();
      before.forEach(one -> made.add("done: " + one.get("kind") + " " + one.get("text")));
      made.add("not done: \"" + kind + "\" \"" + text + "\" and what followed");
      throw new AdminError(
          e.isCallersFault() ? 400 : 507,
          (e.isCallersFault() ? "the purge was refused: " : "the purge could not be made durable: ")
              + e.getMessage()
              + "; "
              + before.size()
              + " of the order's purges were done before",
          made);
    }
    AUDIT.info(
        "purge done caller={} kind={} text=\"{}\" soft={} id={} sequence={} took_us={}",
        caller,
        kind,
        text,
        order.isSoft(),
        done.id(),
        done.sequence(),
        done.tookNanos() / 1000);
    ObjectNode one = Json.object();
    one.put("id", done.id());
    one.put("kind", kind);
    one.put("text", order.text());
    one.put("soft", order.isSoft());
    one.put("sequence", done.sequence());
    if (done.matched().isPresent()) {
      one.put("matched", done.matched().getAsLong());
    } else {
      one.putNull("matched");
    }
    one.put("tookMillis", millis(done.tookNanos()));
    return one;
  }

  private static List<PurgeOrder> orders(ObjectNode body, List<String> problems) {
    Json.onlyKnown(body, FIELDS, problems);
    boolean isSoft = Json.flag(body, "soft", false, problems);
    List<PurgeOrder> orders = new ArrayList<>();
    for (String field : List.of("urls", "files")) {
      for (String url : Json.texts(body, field, MAX_TEXT_LENGTH, problems)) {
        if (isHttpUrl(url)) {
          orders.add(new PurgeOrder(PurgeKind.URL, url, isSoft));
        } else {
          problems.add(
              field + ": \"" + Json.shown(url) + "\" is not an absolute http or https URL");
        }
      }
    }
    for (String field : List.of("tags", "surrogate_keys")) {
      for (String tag : Json.texts(body, field, MAX_TEXT_LENGTH, problems)) {
        if (tag.isBlank()) {
          problems.add(field + ": a tag of blanks only");
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
                + Json.shown(prefix)
                + "\" must name a host and a path, as in a.example/img/");
      }
    }
    for (String host : Json.texts(body, "hosts", MAX_TEXT_LENGTH, problems)) {
      if (host.matches("[A-Za-z0-9._-]+(:[0-9]{1,5})?|\\[[0-9A-Fa-f:.]+](:[0-9]{1,5})?")) {
        orders.add(new PurgeOrder(PurgeKind.HOST, host, isSoft));
      } else {
        problems.add("hosts: \"" + Json.shown(host) + "\" is not a host");
      }
    }
    boolean isEverything = Json.flag(body, "everything", false, problems);
    // Asked for either way, so that a wrong type in the alias is found too.
    isEverything = Json.flag(body, "purge_everything", false, problems) || isEverything;
    if (isEverything) {
      orders.add(new PurgeOrder(PurgeKind.EVERYTHING, "*", isSoft));
    }
    return orders;
  }

  static boolean isHttpUrl(String text) {
    String lower = text.toLowerCase(Locale.ROOT);
    if (!lower.startsWith("http://") && !lower.startsWith("https://")) {
      return false;
    }
    int start = text.indexOf("//") + 2;
    int end = start;
    while (end < text.length() && "/?#".indexOf(text.charAt(end)) < 0) {
      end++;
    }
    String authority = text.substring(start, end);
    if (authority.isEmpty() || authority.indexOf('@') >= 0 || text.indexOf(' ') >= 0) {
      return false;
    }
    try {
      // Only the authority: paths in the wild hold characters that java.net.URI does not take.
      return new URI("http://" + authority + "/").getRawAuthority() != null;
    } catch (URISyntaxException e) {
      return false;
    }
  }

  static double millis(long nanos) {
    return Math.round(nanos / 1e3) / 1e3;
  }
}
