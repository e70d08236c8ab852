package io.forebay.server.origin.group;

import io.forebay.server.config.FilesConfig;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.origin.files.ServedDirectory;
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
 * @param directory what answers in place of servers, or null
 */
public record Origin(
    OriginConfig config,
    List<OriginServer> servers,
    String filesDigest,
    @Nullable OriginSigner signer,
    @Nullable ServedDirectory directory) {

  /** With servers. */
  public Origin(
      OriginConfig config,
      List<OriginServer> servers,
      String filesDigest,
      @Nullable OriginSigner signer) {
    this(config, servers, filesDigest, signer, null);
  }

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
    FilesConfig files = config.files();
    if (files != null) {
      return ServedDirectory.label(config.name(), files);
    }
    return servers.size() == 1
        ? servers.getFirst().label()
        : "origin " + config.name() + " (" + servers.size() + " servers)";
  }
}
