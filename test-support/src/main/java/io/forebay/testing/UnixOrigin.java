package io.forebay.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An origin on a Unix-domain socket. It answers each request with its target as the body, and keeps
 * the heads that it read.
 */
public final class UnixOrigin implements AutoCloseable {
  private final Path file;
  private final ServerSocketChannel server;
  private final List<SocketChannel> connections = new CopyOnWriteArrayList<>();
  private final List<String> heads = new CopyOnWriteArrayList<>();
  private final AtomicInteger accepted = new AtomicInteger();

  /** Listens on that file, which does not exist yet. */
  public UnixOrigin(Path file) {
    this.file = file;
    try {
      server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      server.bind(UnixDomainSocketAddress.of(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread.ofVirtual().start(this::accept);
  }

  public Path file() {
    return file;
  }

  /** Connections taken so far. */
  public int accepted() {
    return accepted.get();
  }

  /** The heads of the requests so far. */
  public List<String> heads() {
    return List.copyOf(heads);
  }

  private void accept() {
    try {
      while (true) {
        SocketChannel connection = server.accept();
        accepted.incrementAndGet();
        connections.add(connection);
        Thread.ofVirtual().start(() -> converse(connection));
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private void converse(SocketChannel connection) {
    try (connection) {
      InputStream in = Channels.newInputStream(connection);
      StringBuilder head = new StringBuilder();
      for (int next = in.read(); next >= 0; next = in.read()) {
        head.append((char) next);
        if (head.toString().endsWith("\r\n\r\n")) {
          heads.add(head.toString());
          answer(connection, head.toString().split(" ", 3)[1]);
          head.setLength(0);
        }
      }
    } catch (IOException closed) {
      // The client went away.
    }
  }

  private static void answer(SocketChannel connection, String target) throws IOException {
    String text =
        "HTTP/1.1 200 OK\r\ncache-control: max-age=60\r\ncontent-length: "
            + target.length()
            + "\r\n\r\n"
            + target;
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
    while (bytes.hasRemaining()) {
      connection.write(bytes);
    }
  }

  /** Stops listening and closes the connections; the file is gone then. */
  @Override
  public void close() throws IOException {
    server.close();
    for (SocketChannel connection : connections) {
      connection.close();
    }
    Files.deleteIfExists(file);
  }
}
