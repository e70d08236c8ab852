package io.forebay.cli.doctor;

import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.origin.dns.NameTrial;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is asked beyond this machine: name servers and origins. */
interface Outside {

  /**
   * What came of a connection to a server.
   *
   * @param found what was reached and how long each step took
   * @param failure the step that failed and why, or null
   * @param certificateUntil when the certificate of the server ends, or null
   */
  record Trial(String found, @Nullable String failure, @Nullable Instant certificateUntil) {}

  Map<String, NameTrial> lookup(Collection<String> names);

  /** Connects, and with https makes a handshake; blocks for some seconds at most. */
  Trial connect(OriginConfig origin, OriginServerConfig server);
}
