package io.forebay.server.origin.group;

import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.origin.sign.OriginSigner;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One origin, ready for use: its configuration with the parsed URLs of its servers and loaded
 * certificates. An origin that a reload did not change remains the same object, by which pools
 * recognize it.
 *
 * @param filesDigest identifies the content of the files for TLS; empty without any
 * @param signer what requests go through just before they are written; null for nothing
 */
public record Origin(
    OriginConfig config,
    List<OriginServer> servers,
    String filesDigest,
    @Nullable OriginSigner signer) {

  public String name() {
    return config.name();
  }

  /** Whether a request could leave the base path of one of the servers. */
  public boolean hasBasePath() {
    for (int i = 0; i < servers.size(); i++) {
      if (!servers.get(i).base().isNone()) {
        return true;
      }
    }
    return false;
  }

  /** How log lines and error pages name it. */
  public String label() {
    return servers.size() == 1
        ? servers.getFirst().label()
        : "origin " + config.name() + " (" + servers.size() + " servers)";
  }
}
