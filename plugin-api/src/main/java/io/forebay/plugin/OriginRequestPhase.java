package io.forebay.plugin;

/**
 * Asked before a request is sent to an origin. A response that may be stored answers other clients
 * too, so the request is what all clients with the same key have in common.
 */
public interface OriginRequestPhase extends Handler {

  /** What the origin is asked differently; {@link OriginRequestEdits#NONE} changes nothing. */
  OriginRequestEdits onOriginRequest(OriginRequest request);
}
