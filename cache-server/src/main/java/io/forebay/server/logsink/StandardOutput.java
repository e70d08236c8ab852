package io.forebay.server.logsink;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** Standard output; never closed, since it is the process's. */
final class StandardOutput implements LogOutput {
  @SuppressWarnings("resource")
  private final WritableByteChannel channel = new FileOutputStream(FileDescriptor.out).getChannel();

  @Override
  public boolean write(ByteBuffer lines) throws IOException {
    while (lines.hasRemaining()) {
      channel.write(lines);
    }
    return true;
  }

  @Override
  public void reopen() {}

  @Override
  public void close() {}
}
