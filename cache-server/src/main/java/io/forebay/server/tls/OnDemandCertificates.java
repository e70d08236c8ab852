package io.forebay.server.tls;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Orders certificates for names that handshakes ask for. */
@FunctionalInterface
public interface OnDemandCertificates {
  /** None is. */
  OnDemandCertificates NONE = name -> null;

  /**
   * Asks for the certificate of a name; called by event loops, never blocks.
   *
   * @param serverName as the ClientHello has it, in lower case
   * @return completed when the table may have it, on any thread; null where none is to be expected
   */
  @Nullable CompletionStage<?> request(String serverName);
}
