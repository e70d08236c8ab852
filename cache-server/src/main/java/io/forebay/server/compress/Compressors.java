package io.forebay.server.compress;

import io.netty.util.concurrent.EventExecutor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The threads of the node that compress, and how many bodies they are at; one per server. */
public final class Compressors implements AutoCloseable {

  /** What bodies are for; each has places of its own, so that neither takes the other's. */
  public enum Use {
    /** A client waits for it. */
    STREAM,
    /** It is made in the background. */
    COPY
  }

  /**
   * A stream for one body.
   *
   * @param sizeHint length of the body, or less than 0 where it is not known
   * @return null where no place is free, or the coding is not there on this machine
   */
  public @Nullable CodingStream open(
      Use use,
      ContentCoding coding,
      int level,
      long sizeHint,
      EventExecutor loop,
      CodingStream.Listener listener) {
    throw new UnsupportedOperationException("skeleton");
  }

  /** The codings that are there on this machine. */
  public static List<ContentCoding> available() {
    throw new UnsupportedOperationException("skeleton");
  }

  @Override
  public void close() {}
}
