package io.forebay.storage.memory;

import java.io.IOException;

/** A file system or control group has too little space. */
public final class NoSpaceException extends IOException {
  private static final long serialVersionUID = 1L;

  public NoSpaceException(String message) {
    super(message);
  }
}
