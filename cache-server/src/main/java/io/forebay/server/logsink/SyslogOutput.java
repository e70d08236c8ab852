package io.forebay.server.logsink;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A receiver of syslog: each line is a message. While the receiver takes none, lines wait with
 * their writer; nothing blocks here.
 */
final class SyslogOutput implements LogOutput {
  private final SyslogTransport transport;
  private final SyslogHeader header;
  private final LongSupplier clockMillis;
  private final AtomicLong lost = new AtomicLong();
  private ByteBuffer message = ByteBuffer.allocateDirect(8 << 10);

  SyslogOutput(SyslogTransport transport, SyslogHeader header, LongSupplier clockMillis) {
    this.transport = transport;
    this.header = header;
    this.clockMillis = clockMillis;
  }

  @Override
  public boolean write(ByteBuffer lines) {
    while (lines.hasRemaining()) {
      int start = lines.position();
      int end = start;
      while (lines.get(end) != '\n') {
        end++;
      }
      // An empty line stands before what follows a line that was cut; it is no message.
      if (end > start) {
        switch (transport.send(message(lines, start, end))) {
          case SENT -> {}
          case LATER -> {
            return false;
          }
          case LOST -> lost.incrementAndGet();
        }
      }
      lines.position(end + 1);
    }
    return true;
  }

  private ByteBuffer message(ByteBuffer lines, int start, int end) {
    int most = header.maxLength() + end - start;
    if (message.capacity() < most) {
      message = ByteBuffer.allocateDirect(2 * most);
    }
    message.clear();
    header.put(message, clockMillis.getAsLong());
    message.put(lines.duplicate().position(start).limit(end));
    return message.flip();
  }

  /** Connections are made again when they break. */
  @Override
  public void reopen() {}

  @Override
  public long lost() {
    return lost.get();
  }

  @Override
  public void close() throws IOException {
    transport.close();
  }
}
