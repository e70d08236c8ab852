package io.forebay.plugin;

/**
 * A request on its way to an origin. Its fields are those that are sent, without those about the
 * client and the connection.
 */
public interface OriginRequest extends RequestHead {

  /** The group that the {@link RequestPhase} of the handler chose; empty for none. */
  String group();
}
