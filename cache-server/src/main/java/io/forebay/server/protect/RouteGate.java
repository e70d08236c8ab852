package io.forebay.server.protect;

import io.forebay.server.config.ProtectionProfile;
import io.forebay.server.config.ProtectionProfile.AccessConfig;
import io.forebay.server.network.NetworkSet;
import java.util.ArrayList;
import java.util.List;

/**
 * The protection of the routes that share a profile, compiled when the configuration is loaded.
 * Immutable; any thread.
 */
public final class RouteGate {
  private final String name;
  private final NetworkSet trusted;
  private final AccessConfig access;

  private RouteGate(ProtectionProfile profile, NetworkSet trusted) {
    this.name = profile.name();
    this.trusted = trusted;
    this.access = profile.access();
  }

  /**
   * Compiles a profile.
   *
   * @param trusted networks of relays whose word on their clients is believed
   */
  public static RouteGate of(ProtectionProfile profile, NetworkSet trusted) {
    return new RouteGate(profile, trusted);
  }

  /** As routes name it. */
  public String name() {
    return name;
  }

  NetworkSet trusted() {
    return trusted;
  }

  boolean hasAccess() {
    return !access.isOpen();
  }

  /** Whether clients of that address are served: not denied, and allowed where that is needed. */
  boolean admits(ClientAddress client) {
    NetworkSet allowed = access.allowed();
    return client.isKnown()
        && !access.denied().contains(client.hi(), client.lo())
        && (allowed == null || allowed.contains(client.hi(), client.lo()));
  }

  /** What it asks of clients, one sentence each, for people. */
  public List<Requirement> requirements() {
    List<Requirement> all = new ArrayList<>();
    if (hasAccess()) {
      NetworkSet allowed = access.allowed();
      String denied = access.denied().isEmpty() ? "" : access.denied() + " denied";
      String only = allowed == null ? "" : allowed + " allowed, all others denied";
      String both = denied + (denied.isEmpty() || only.isEmpty() ? "" : "; ") + only;
      all.add(new Requirement("access", both + ": 403 for other clients."));
    }
    return all;
  }

  /** One part of a protection. */
  public record Requirement(String name, String text) {}
}
