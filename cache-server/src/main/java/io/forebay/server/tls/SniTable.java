package io.forebay.server.tls;

import io.forebay.core.http.AuthorityNormalizer;
import io.forebay.server.config.TlsConfig.ClientAuth;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Maps server names to TLS hosts: exact names, then wildcards of one label, then the listener's
 * default. Immutable; a change creates a new table, so a handshake sees one or the other.
 */
public final class SniTable {
  /** Nobody answers. */
  public static final SniTable EMPTY = new SniTable(new Builder(0));

  private final Map<String, TlsHost> exact;

  /** By what stands behind the star, the dot included. */
  private final Map<String, TlsHost> wildcards;

  private final Map<String, TlsHost> byListener;
  private final List<TlsHost> hosts;
  private final boolean asksClients;
  private final int clientHelloBytes;
  private final boolean isFingerprinting;

  /** With a default or without. */
  private final Set<String> listeners;

  /** Certificates that answer challenges (RFC 8737), by name. */
  private final Map<String, TlsHost> challenges;

  private final OnDemandCertificates onDemand;

  private SniTable(Builder builder) {
    listeners = Set.copyOf(builder.listeners);
    challenges = Map.copyOf(builder.challenges);
    onDemand = builder.onDemand;
    exact = Map.copyOf(builder.exact);
    wildcards = Map.copyOf(builder.wildcards);
    byListener = Map.copyOf(builder.byListener);
    hosts = List.copyOf(builder.hosts);
    asksClients = hosts.stream().anyMatch(host -> host.clientAuth() != ClientAuth.OFF);
    clientHelloBytes = builder.clientHelloBytes;
    isFingerprinting = builder.isFingerprinting;
  }

  /** The same with certificates that the node orders; names that are there keep theirs. */
  SniTable with(
      Map<String, TlsHost> managed,
      Map<String, TlsHost> underValidation,
      OnDemandCertificates source) {
    Builder builder = new Builder(clientHelloBytes);
    builder.isFingerprinting = isFingerprinting;
    hosts.forEach(builder::host);
    builder.exact.putAll(exact);
    builder.wildcards.putAll(wildcards);
    builder.byListener.putAll(byListener);
    builder.listeners.addAll(listeners);
    managed.forEach(builder::name);
    builder.challenges.putAll(underValidation);
    builder.onDemand = source;
    return builder.build();
  }

  /** Whether ClientHellos are fingerprinted. */
  boolean isFingerprinting() {
    return isFingerprinting;
  }

  /**
   * Asks for the certificate of a name that has none of its own.
   *
   * @return completed when the next table may have it; null where none is to be expected
   */
  @Nullable CompletionStage<?> request(@Nullable String serverName) {
    return serverName == null || named(serverName) != null
        ? null
        : onDemand.request(withoutRoot(serverName));
  }

  /** The certificate that answers a challenge for a name, or null if it is not being validated. */
  @Nullable TlsHost challenge(@Nullable String serverName) {
    return serverName == null || challenges.isEmpty()
        ? null
        : challenges.get(withoutRoot(serverName));
  }

  /**
   * What a ClientHello on that listener gets; null where the listener has no certificate for it.
   */
  @Nullable TlsHost of(String listener, @Nullable String serverName) {
    TlsHost named = serverName == null ? null : named(serverName);
    return named != null ? named : byListener.get(listener);
  }

  /** The entry of the table that matches a name; null if none does. */
  @Nullable String matchedName(String serverName) {
    String name = withoutRoot(serverName);
    if (exact.containsKey(name)) {
      return name;
    }
    return named(name) == null ? null : "*" + name.substring(name.indexOf('.'));
  }

  /** The root's dot is no part of the name (RFC 6066 §3), though some send it. */
  private static String withoutRoot(String serverName) {
    return serverName.endsWith(".") ? serverName.substring(0, serverName.length() - 1) : serverName;
  }

  private @Nullable TlsHost named(String serverName) {
    String name = withoutRoot(serverName);
    TlsHost found = exact.get(name);
    if (found != null || wildcards.isEmpty()) {
      return found;
    }
    int dot = name.indexOf('.');
    return dot <= 0 ? null : wildcards.get(name.substring(dot));
  }

  /**
   * Whether a request is for a host whose clients are asked for other certificates than those of
   * its connection were. A name that a connection was not made for must not lead past that.
   *
   * @param connection what its ClientHello got; null for plain text
   * @param authority in normal form
   */
  public boolean isMisdirected(@Nullable TlsHost connection, String listener, String authority) {
    if (!asksClients) {
      return false;
    }
    TlsHost asked = of(listener, AuthorityNormalizer.host(authority));
    if (connection == null) {
      // Plain text can show nothing.
      TlsHost named = named(AuthorityNormalizer.host(authority));
      return named != null && named.clientAuth() == ClientAuth.REQUIRED;
    }
    if (asked == null
        || (asked.clientAuth() == ClientAuth.OFF && connection.clientAuth() == ClientAuth.OFF)) {
      return false;
    }
    return !asked.hasSameClientAuth(connection);
  }

  /** The listeners that speak TLS, in order of their names. */
  List<String> listeners() {
    return listeners.stream().sorted().toList();
  }

  /**
   * Whether a request is for a host that asks clients for certificates, be they optional.
   *
   * @param authority in normal form
   */
  public boolean asksClients(String listener, String authority) {
    if (!asksClients) {
      return false;
    }
    TlsHost asked = of(listener, AuthorityNormalizer.host(authority));
    return asked != null && asked.clientAuth() != ClientAuth.OFF;
  }

  List<TlsHost> hosts() {
    return hosts;
  }

  int clientHelloBytes() {
    return clientHelloBytes;
  }

  /** Collects a table; a name that is there is not taken over. */
  static final class Builder {
    private final Map<String, TlsHost> exact = new HashMap<>();
    private final Map<String, TlsHost> wildcards = new HashMap<>();
    private final Map<String, TlsHost> byListener = new HashMap<>();
    private final Set<TlsHost> hosts = new LinkedHashSet<>();
    private final Set<String> listeners = new HashSet<>();
    private final Map<String, TlsHost> challenges = new HashMap<>();
    private OnDemandCertificates onDemand = OnDemandCertificates.NONE;
    private final int clientHelloBytes;
    private boolean isFingerprinting;

    Builder(int clientHelloBytes) {
      this.clientHelloBytes = clientHelloBytes;
    }

    /** ClientHellos are fingerprinted. */
    void fingerprints() {
      isFingerprinting = true;
    }

    /** Who has the name already, or null: then it is this host's. */
    @Nullable TlsHost name(String name, TlsHost host) {
      hosts.add(host);
      return name.startsWith("*.")
          ? wildcards.putIfAbsent(name.substring(1), host)
          : exact.putIfAbsent(name, host);
    }

    /** A listener that has no certificate for other names. */
    void listener(String name) {
      listeners.add(name);
    }

    void listener(String name, TlsHost host) {
      listeners.add(name);
      hosts.add(host);
      byListener.put(name, host);
    }

    /** Also hosts that no name leads to are kept up to date. */
    void host(TlsHost host) {
      hosts.add(host);
    }

    SniTable build() {
      return new SniTable(this);
    }
  }

  /** Copies of the names, for reports. */
  List<String> namesOf(TlsHost host) {
    List<String> names = new ArrayList<>();
    exact.forEach((name, is) -> {
      if (is.equals(host)) {
        names.add(name);
      }
    });
    wildcards.forEach((suffix, is) -> {
      if (is.equals(host)) {
        names.add("*" + suffix);
      }
    });
    names.sort(null);
    return names;
  }
}
