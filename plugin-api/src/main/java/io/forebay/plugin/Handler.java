package io.forebay.plugin;

/**
 * Does the work of a plugin for one rule: implements at least one of {@link RequestPhase}, {@link
 * OriginRequestPhase}, {@link OriginResponsePhase} and {@link DeliveryPhase}.
 *
 * <p>All event loops call one handler at the same time, so it must be safe for use by several
 * threads. A call holds up all connections of its loop: it must not wait for anything (files,
 * network, locks), and is measured against the budget of the configuration.
 */
public interface Handler extends AutoCloseable {

  /** No request uses the handler any more. */
  @Override
  default void close() {}
}
