package io.forebay.cli.doctor;

import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.origin.dns.NameResolver;
import io.forebay.server.origin.dns.NameTrial;
import io.netty.util.NetUtil;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Name servers, the names of origins, and whether origins can be reached. */
final class OriginChecks {
  private static final Topic SERVERS =
      new Topic(
          "name-servers", "Without a name server that answers, names of origins are unknown.");
  private static final Topic NAMES =
      new Topic("origin-names", "A miss waits for the lookup when an answer has run out.");
  private static final Topic ORIGINS =
      new Topic("origins", "Misses get 502 while no server of their origin can be reached.");

  private static final String RESOLV = "etc/resolv.conf";
  private static final int MAX_NAME_SERVERS = 3;
  private static final long SLOW_NANOS = 200_000_000;
  private static final long SHORT_TTL_SECONDS = 5;

  /** Connections are tried to so many servers. */
  private static final int MAX_TRIED = 100;

  private OriginChecks() {}

  static List<Finding> of(Subject subject) {
    List<Finding> findings = new ArrayList<>();
    findings.add(nameServers(subject));
    Outside outside = subject.outside();
    if (outside == null) {
      findings.add(NAMES.ok("not looked up (--offline)"));
      findings.add(ORIGINS.ok("not tried (--offline)"));
      return findings;
    }
    findings.addAll(names(subject, outside));
    findings.addAll(origins(subject, outside));
    return findings;
  }

  private static Finding nameServers(Subject subject) {
    List<String> servers =
        subject.machine().lines(RESOLV).stream()
            .filter(line -> line.matches("nameserver\\s+.*"))
            .map(line -> line.split("\\s+", -1)[1])
            .toList();
    if (servers.isEmpty()) {
      return names(subject).isEmpty()
          ? SERVERS.ok("none, and no name to look up")
          : SERVERS.warning("/etc/resolv.conf names none", "a line nameserver ADDRESS there");
    }
    return SERVERS.hintUnless(
        servers.size() <= MAX_NAME_SERVERS,
        String.join(", ", servers),
        "at most three lines nameserver in /etc/resolv.conf: others are not asked everywhere");
  }

  /** Names by what the resolver calls them. */
  private static Map<String, String> names(Subject subject) {
    Map<String, String> names = new LinkedHashMap<>();
    for (OriginConfig origin : subject.config().origins()) {
      for (OriginServerConfig server : origin.servers()) {
        URI uri = uri(server);
        if (uri != null && uri.getHost() != null && !isAddress(uri.getHost())) {
          boolean isService = uri.getScheme().endsWith("+srv");
          names.put((isService ? NameResolver.SRV : "") + uri.getHost(), uri.getHost());
        }
      }
    }
    return names;
  }

  private static @Nullable URI uri(OriginServerConfig server) {
    try {
      return server.url().startsWith("unix:") ? null : URI.create(server.url());
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private static boolean isAddress(String host) {
    return host.startsWith("[") || NetUtil.isValidIpV4Address(host);
  }

  private static List<Finding> names(Subject subject, Outside outside) {
    Map<String, String> names = names(subject);
    if (names.isEmpty()) {
      return List.of(NAMES.ok("origins have addresses"));
    }
    List<Finding> findings = new ArrayList<>();
    outside
        .lookup(names.keySet())
        .forEach((asked, trial) -> {
          String name = names.getOrDefault(asked, asked);
          findings.add(name(name, trial));
        });
    return findings;
  }

  private static Finding name(String name, NameTrial trial) {
    if (trial.addresses().isEmpty()) {
      return NAMES.warning(
          name + ": " + trial.failure(),
          "dig " + name + " asks the same; mend the name, or /etc/resolv.conf");
    }
    TreeSet<String> addresses = new TreeSet<>();
    trial.addresses().forEach(address -> addresses.add(address.getHostAddress()));
    String found =
        name
            + ": "
            + String.join(", ", addresses)
            + " in "
            + trial.nanos() / 1_000_000
            + " ms, for "
            + trial.ttlSeconds()
            + " s";
    if (trial.nanos() > SLOW_NANOS) {
      return NAMES.hint(found, "use a name server that caches on this machine or beside it");
    }
    return NAMES.hintUnless(
        trial.ttlSeconds() >= SHORT_TTL_SECONDS,
        found,
        "a longer TTL in the zone: it is asked for again that often");
  }

  private static List<Finding> origins(Subject subject, Outside outside) {
    List<Finding> findings = new ArrayList<>();
    List<Future<Finding>> tried = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (OriginConfig origin : subject.config().origins()) {
        for (OriginServerConfig server : origin.servers()) {
          if (tried.size() < MAX_TRIED) {
            tried.add(threads.submit(() -> origin(subject, outside, origin, server)));
          }
        }
      }
    }
    for (Future<Finding> one : tried) {
      findings.add(one.resultNow());
    }
    return findings.isEmpty() ? List.of(ORIGINS.ok("no servers; directories answer")) : findings;
  }

  private static Finding origin(
      Subject subject, Outside outside, OriginConfig origin, OriginServerConfig server) {
    String where = "origins." + origin.name() + ": ";
    Outside.Trial trial = outside.connect(origin, server);
    String found = where + trial.found();
    if (trial.failure() != null) {
      return ORIGINS.warning(
          found + ": " + trial.failure(),
          "curl -vI " + server.url() + " from this machine; mend server, firewall or URL");
    }
    Instant until = trial.certificateUntil();
    return ORIGINS.warningUnless(
        until == null || until.isAfter(subject.now().plus(subject.config().tls().expiryWarning())),
        found + (until == null ? "" : ", certificate until " + until),
        "renew the certificate of that server");
  }
}
