package io.forebay.server.handover;

import java.io.IOException;

/** The running process refuses, or what it says is not understood; nothing has changed. */
public final class HandoverException extends IOException {
  private static final long serialVersionUID = 1L;

  HandoverException(String message) {
    super(message);
  }
}
