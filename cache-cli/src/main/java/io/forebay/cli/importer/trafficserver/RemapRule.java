package io.forebay.cli.importer.trafficserver;

import io.forebay.cli.importer.model.Directive;
import java.util.List;
import java.util.Map;

/**
 * A rule of {@code remap.config} that clients meet.
 *
 * @param of its line
 * @param from which requests it is for; its host is empty, a name, or a name behind {@code *.}
 * @param guards rules that refuse requests before anything else
 * @param plugins with their parameters, in their order
 */
record RemapRule(
    Directive of,
    Kind kind,
    RemapUrl from,
    RemapUrl to,
    List<Map<String, Object>> guards,
    List<Plugin> plugins) {

  enum Kind {
    MAP,
    TEMPORARY_REDIRECT,
    PERMANENT_REDIRECT
  }

  /** A plugin of a rule: {@code @plugin} with its {@code @pparam}. */
  record Plugin(Directive of, String name, List<String> parameters) {}

  boolean isMap() {
    return kind == Kind.MAP;
  }

  /** Whether it is for requests that listeners of this kind get. */
  boolean isFor(boolean tls) {
    return from.scheme().isEmpty() || from.isTls() == tls;
  }

  /** The host of a route, with the port if clients have to name one. */
  String hostPattern() {
    return from.host().isEmpty() ? "" : from.authority();
  }

  /** Whether another rule does the same with a request. */
  boolean isLike(RemapRule other) {
    return kind == other.kind
        && to.equals(other.to)
        && from.path().equals(other.from.path())
        && guards.equals(other.guards)
        && plugins.stream()
            .map(RemapRule::text)
            .toList()
            .equals(other.plugins.stream().map(RemapRule::text).toList());
  }

  private static String text(Plugin plugin) {
    return plugin.name() + plugin.parameters();
  }
}
