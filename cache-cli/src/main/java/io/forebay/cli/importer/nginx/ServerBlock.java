package io.forebay.cli.importer.nginx;

import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * One {@code server} of nginx.
 *
 * @param hosts patterns of hosts as routes have them
 * @param scheme {@code http} or {@code https} where it has ports of one kind only, else empty
 * @param isDefault whether it gets the requests for hosts that no server names
 */
record ServerBlock(
    Directive directive,
    DirectiveScope scope,
    List<String> hosts,
    String scheme,
    boolean isDefault) {

  static ServerBlock of(
      Directive directive, DirectiveScope scope, ImportReport report, ListenDirectives listens) {
    List<String> hosts = new ArrayList<>();
    for (Directive each : scope.own("server_name")) {
      for (String name : each.arguments()) {
        String host = name.toLowerCase(Locale.ROOT);
        if (host.isEmpty() || host.equals("_") || host.equals("\"\"")) {
          report.taken(each);
        } else if (host.matches("\\.[a-z0-9.-]+")) {
          hosts.add(host.substring(1));
          hosts.add("*" + host);
          report.taken(each);
        } else if (host.matches("(\\*\\.)?[a-z0-9.-]+")) {
          hosts.add(host);
          report.taken(each);
        } else {
          report.left(each, name + ": routes have names, and *.NAME; for more use a rule on host");
        }
      }
    }
    ListenDirectives.Ports ports = listens.of(scope, hosts);
    String scheme = ports.isPlain() && ports.isTls() ? "" : ports.isTls() ? "https" : "http";
    return new ServerBlock(
        directive, scope, hosts.stream().distinct().toList(), scheme, ports.isDefault());
  }

  ServerBlock asDefault() {
    return new ServerBlock(directive, scope, hosts, scheme, true);
  }

  /** The first name, or an empty text. */
  String name() {
    return hosts.stream().filter(host -> !host.startsWith("*")).findFirst().orElse("");
  }

  boolean sharesHosts(ServerBlock other) {
    return (hosts.isEmpty() && other.hosts.isEmpty())
        || hosts.stream().anyMatch(other.hosts::contains);
  }

  /** Its own scope and those of all blocks within it. */
  List<DirectiveScope> scopes() {
    List<DirectiveScope> all = new ArrayList<>();
    collect(scope, all);
    return all;
  }

  private static void collect(DirectiveScope of, List<DirectiveScope> into) {
    into.add(of);
    for (Directive each : of.own()) {
      if (Set.of("location", "if", "limit_except").contains(each.name())) {
        collect(of.inner(each.block()), into);
      }
    }
  }
}
