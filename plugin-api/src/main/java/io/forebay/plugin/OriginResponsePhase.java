package io.forebay.plugin;

/**
 * Asked when an origin has answered, whether and how long its response is stored. It may be asked
 * several times about one response, and must answer the same.
 */
public interface OriginResponsePhase extends Handler {

  /** How the response is stored; {@link StoreDecision#AS_USUAL} leaves it as it is. */
  StoreDecision onOriginResponse(Response response);
}
