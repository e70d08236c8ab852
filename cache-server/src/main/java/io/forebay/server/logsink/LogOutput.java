package io.forebay.server.logsink;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The destination of lines; used by one thread at a time. */
public interface LogOutput extends AutoCloseable {

  /**
   * Writes whole lines, each with its end.
   *
   * @return false if the receiver takes no more at the moment: what remains in the buffer begins
   *     with a whole line and can be written later
   * @throws IOException when lines are lost; the buffer stands where writing ended
   */
  boolean write(ByteBuffer lines) throws IOException;

  /** Opens the output again under its name, for after a rotation; the old one serves on failure. */
  void reopen() throws IOException;

  /** Lines of successful writes that were lost all the same; any thread asks. */
  default long lost() {
    return 0;
  }

  @Override
  void close() throws IOException;
}
