package io.forebay.server.config;

import io.forebay.server.config.ServerConfig.OriginConfig;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * In which order other origins stand in for one: its own list, each followed by the list of that.
 */
public final class FallbackOrder {
  private final Map<String, List<String>> named;

  /** Of all origins of a configuration. */
  public FallbackOrder(List<OriginConfig> origins) {
    named = origins.stream().collect(Collectors.toMap(OriginConfig::name, OriginConfig::fallback));
  }

  /** The origins that stand in for that one, the first first; none twice. */
  public List<String> of(String origin) {
    Set<String> order = new LinkedHashSet<>();
    add(origin, order);
    order.remove(origin);
    return List.copyOf(order);
  }

  private void add(String origin, Set<String> order) {
    for (String next : named.getOrDefault(origin, List.of())) {
      if (order.add(next)) {
        add(next, order);
      }
    }
  }

  /** The way from an origin back to itself, both ends included, or null if there is none. */
  @Nullable List<String> circle(String origin) {
    List<String> way = new ArrayList<>(List.of(origin));
    return leadsTo(origin, origin, way, new LinkedHashSet<>()) ? way : null;
  }

  private boolean leadsTo(String from, String to, List<String> way, Set<String> seen) {
    for (String next : named.getOrDefault(from, List.of())) {
      way.add(next);
      if (next.equals(to) || (seen.add(next) && leadsTo(next, to, way, seen))) {
        return true;
      }
      way.removeLast();
    }
    return false;
  }
}
