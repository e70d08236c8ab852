package io.forebay.server.config;

import static io.forebay.server.config.Field.live;

import io.forebay.server.config.ServerConfig.RouteConfig;
import io.forebay.server.digest.DigestAlgorithm;
import io.forebay.server.hint.EarlyHintPolicy;
import java.util.Arrays;
import java.util.List;

/** The keys of {@link RouteResponseConfig}. */
final class ResponseKeys {

  static final Field<RouteConfig, EarlyHintPolicy> EARLY_HINTS =
      live(
          "early-hints",
          ValueType.constant(EarlyHintPolicy.class),
          "off",
          route -> route.responses().earlyHints(),
          "Whether a client that waits for the origin while a stale response is stored gets the links"
              + " of that response (`preload`, `modulepreload`, `preconnect`) in a 103 (Early Hints)."
              + " `on`: clients of HTTP/2 and HTTP/3; `all`: those of HTTP/1.1 too, of which some take"
              + " a 103 for the response. See [PROXYING.md](PROXYING.md).");

  static final Field<RouteConfig, Boolean> DIGEST_VERIFY =
      live(
          "digest.verify",
          ValueType.ON_OFF,
          "off",
          route -> route.responses().digests().verifies(),
          "Whether bodies that are fetched into the store are compared with the `Content-Digest` and"
              + " `Repr-Digest` (RFC 9530; sha-256, sha-512) that the origin sends. A body that differs"
              + " is not stored, and its response is broken off before its last bytes, or 502. See"
              + " [PROXYING.md](PROXYING.md).");
  static final Field<RouteConfig, List<String>> DIGEST_ADD =
      live(
          "digest.add",
          ValueType.list(
              "list of algorithms",
              "`sha-256`, `sha-512`",
              text -> algorithms(List.of(text)).size() == 1,
              false,
              "write algorithms such as sha-256"),
          "",
          route -> route.responses().digests().added().stream().map(DigestAlgorithm::key).toList(),
          "Algorithms of which stored responses (status 200) get a `Repr-Digest` where the origin sends"
              + " none; computed while the body is fetched.");

  /** Of each route. */
  static final List<Field<RouteConfig, ?>> OF_ROUTE =
      List.of(EARLY_HINTS, DIGEST_VERIFY, DIGEST_ADD);

  private ResponseKeys() {}

  /** The algorithms that are known, in order. */
  static List<DigestAlgorithm> algorithms(List<String> keys) {
    return Arrays.stream(DigestAlgorithm.values())
        .filter(algorithm -> keys.contains(algorithm.key()))
        .toList();
  }
}
