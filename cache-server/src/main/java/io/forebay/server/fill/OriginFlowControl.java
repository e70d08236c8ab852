package io.forebay.server.fill;

import io.forebay.server.origin.call.OriginCall;

/**
 * Pauses and resumes a fill's reading from its origin.
 *
 * <p>Owner: the fill's loop.
 */
final class OriginFlowControl {

  private final OriginCall call;
  private boolean isShut;

  OriginFlowControl(OriginCall call) {
    this.call = call;
  }

  void set(boolean isToBeShut) {
    if (isToBeShut != isShut) {
      isShut = isToBeShut;
      if (isShut) {
        call.suspend();
      } else {
        call.resume();
      }
    }
  }

  /**
   * Another listener pauses the origin from now on.
   *
   * @param isEnded whether the whole response has arrived
   * @return whether it was paused
   */
  boolean handOver(boolean isEnded) {
    boolean wasShut = isShut;
    if (!isEnded) {
      set(false);
    }
    return wasShut;
  }
}
