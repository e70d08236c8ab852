package io.forebay.server.protect.url;

import io.forebay.server.json.AdminError;
import io.forebay.server.json.Json;
import io.forebay.server.network.NetworkSet;
import io.forebay.server.protect.url.UrlSignature.Verdict;
import io.forebay.server.rule.Glob;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a signed policy of CloudFront admits: one statement with a resource, which may have the
 * wildcards {@code *} and {@code ?}, and conditions.
 *
 * @param resource null for every URL
 * @param until seconds since 1970, not included
 * @param from seconds since 1970, not included; -1 for any time
 * @param clients null for all
 */
record CloudFrontPolicy(
    @Nullable Glob resource, long until, long from, @Nullable NetworkSet clients) {
  private static final String TIME = "AWS:EpochTime";
  private static final String SOURCE = "AWS:SourceIp";

  /** Far beyond the end of time of all clients. */
  private static final long MAX_SECONDS = 99_999_999_999L;

  /** Reads a policy strictly; null for what is none. */
  static @Nullable CloudFrontPolicy parse(byte[] json) {
    try {
      ObjectNode policy = Json.object(json);
      JsonNode statements = policy.get("Statement");
      boolean isOne = statements != null && statements.isArray() && statements.size() == 1;
      return isOne
              && has(policy, Set.of("Statement"))
              && statements.get(0) instanceof ObjectNode statement
              && has(statement, Set.of("Resource", "Condition"))
              && statement.get("Condition") instanceof ObjectNode condition
              && has(condition, Set.of("DateLessThan", "DateGreaterThan", "IpAddress"))
          ? of(statement.get("Resource"), condition)
          : null;
    } catch (AdminError | IllegalArgumentException e) {
      return null;
    }
  }

  private static boolean has(ObjectNode node, Set<String> noMoreThan) {
    return noMoreThan.containsAll(node.propertyNames());
  }

  private static @Nullable CloudFrontPolicy of(@Nullable JsonNode resource, ObjectNode condition) {
    long until = seconds(condition.get("DateLessThan"));
    JsonNode after = condition.get("DateGreaterThan");
    long from = after == null ? -1 : seconds(after);
    JsonNode addresses = condition.get("IpAddress");
    String network = addresses == null ? null : only(addresses, SOURCE);
    boolean isWrong =
        until < 0
            || (after != null && from < 0)
            || (addresses != null && network == null)
            || (resource != null && !resource.isString());
    return isWrong
        ? null
        : new CloudFrontPolicy(
            resource == null ? null : Glob.of(resource.stringValue()),
            until,
            from,
            network == null ? null : NetworkSet.masked(List.of(network)));
  }

  private static long seconds(@Nullable JsonNode time) {
    JsonNode value =
        time instanceof ObjectNode object && has(object, Set.of(TIME)) ? object.get(TIME) : null;
    if (value == null || !value.isIntegralNumber() || !value.canConvertToLong()) {
      return -1;
    }
    long seconds = value.longValue();
    return seconds > MAX_SECONDS ? -1 : seconds;
  }

  private static @Nullable String only(JsonNode node, String name) {
    JsonNode value =
        node instanceof ObjectNode object && has(object, Set.of(name)) ? object.get(name) : null;
    return value != null && value.isString() ? value.stringValue() : null;
  }

  /**
   * Whether it admits a request.
   *
   * @param url without the parameters of the signature
   */
  Verdict judge(String url, long hi, long lo, long nowSeconds) {
    if ((resource != null && !resource.matches(url, 0, url.length()))
        || (clients != null && !clients.contains(hi, lo))
        || nowSeconds <= from) {
      return Verdict.INVALID;
    }
    return nowSeconds < until ? Verdict.VALID : Verdict.EXPIRED;
  }
}
