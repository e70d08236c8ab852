package io.forebay.server.accesslog;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The destination of access log lines; used by the writer thread only. */
interface LogOutput extends AutoCloseable {

  /** Writes all that remains in the buffer. */
  void write(ByteBuffer lines) throws IOException;

  /** Opens the output again under its name, for after a rotation; the old one serves on failure. */
  void reopen() throws IOException;

  @Override
  void close() throws IOException;

  /** Standard output; never closed, since it is the process's. */
  static LogOutput stdout() {
    @SuppressWarnings("resource")
    WritableByteChannel channel = new FileOutputStream(FileDescriptor.out).getChannel();
    return new LogOutput() {
      @Override
      public void write(ByteBuffer lines) throws IOException {
        while (lines.hasRemaining()) {
          channel.write(lines);
        }
      }

      @Override
      public void reopen() {}

      @Override
      public void close() {}
    };
  }

  /** A file that is appended to. */
  static LogOutput file(Path path) throws IOException {
    return new FileOutput(path);
  }

  /** A file that is appended to. */
  final class FileOutput implements LogOutput {
    private final Path path;
    private FileChannel channel;

    FileOutput(Path path) throws IOException {
      this.path = path;
      channel = open(path);
    }

    private static FileChannel open(Path path) throws IOException {
      return FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    @Override
    public void write(ByteBuffer lines) throws IOException {
      while (lines.hasRemaining()) {
        channel.write(lines);
      }
    }

    @Override
    public void reopen() throws IOException {
      FileChannel next = open(path);
      channel.close();
      channel = next;
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
