package io.forebay.server.config;

import static io.forebay.server.config.Field.optional;

import io.forebay.server.config.Section.Shape;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The keys of {@code protection}; a part of the table of {@link ConfigKeys}. */
final class ProtectionKeys {
  static final Field<ProtectionProfile, List<String>> ALLOW =
      optional(
          "access.allow",
          ValueType.NETWORKS,
          "all clients",
          false,
          profile -> profile.access().allow(),
          "Networks whose clients are served. If this or `access.allow-file` is given, all other"
              + " clients receive 403. The client's address is that of the peer, of the PROXY"
              + " protocol or, from a network of `forwarding.trusted`, of `X-Forwarded-For` or"
              + " `Forwarded`.");
  static final Field<ProtectionProfile, List<String>> DENY =
      Field.live(
          "access.deny",
          ValueType.NETWORKS,
          "",
          profile -> profile.access().deny(),
          "Networks whose clients receive 403. Takes precedence over `access.allow` and"
              + " `access.allow-file`.");
  static final Field<ProtectionProfile, Path> ALLOW_FILE =
      optional(
          "access.allow-file",
          ValueType.PATH,
          "none",
          false,
          profile -> profile.access().allowFile(),
          "File with further networks for `access.allow`: one address or CIDR block on each line,"
              + " `#` begins a comment; at most 1000000. A reload reads it again.");
  static final Field<ProtectionProfile, Path> DENY_FILE =
      optional(
          "access.deny-file",
          ValueType.PATH,
          "none",
          false,
          profile -> profile.access().denyFile(),
          "File with further networks for `access.deny`, in the same form.");

  static final Section<ProtectionProfile> PROFILES =
      new Section<>(
          "protection",
          Shape.NAMED,
          "What decides whether a client may have an answer, by name. Routes name one of these"
              + " profiles in `protection`; it applies to hits as to all other requests.",
          "",
          List.of(ALLOW, DENY, ALLOW_FILE, DENY_FILE),
          config -> named(config.protections()));

  private ProtectionKeys() {}

  private static Map<String, ProtectionProfile> named(List<ProtectionProfile> profiles) {
    Map<String, ProtectionProfile> named = new LinkedHashMap<>();
    profiles.forEach(profile -> named.put(profile.name(), profile));
    return named;
  }
}
