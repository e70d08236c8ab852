package io.forebay.benchmarks.attack;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** Asks for one small object again and again over one connection, from an address of its own. */
final class OtherClient implements AutoCloseable {
  private static final byte[] SOURCE = {127, 0, 0, 2};
  private static final byte[] REQUEST =
      "GET /small/0 HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final int TIMEOUT_MILLIS = 5_000;
  private static final int PAUSE_MILLIS = 20;

  private final InetSocketAddress server;
  private final Thread thread;
  private volatile boolean isOver;
  private long well;
  private long notWell;
  private long slowestNanos;

  /** What it was served. */
  record Served(long asked, long well, double slowestMillis) {}

  OtherClient(int port) {
    server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    thread = Thread.ofPlatform().daemon().name("other-client").start(this::run);
  }

  private void run() {
    while (!isOver) {
      try (Socket socket = new Socket()) {
        TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        socket.bind(new InetSocketAddress(InetAddress.getByAddress(SOURCE), 0));
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.setTcpNoDelay(true);
        socket.connect(server, TIMEOUT_MILLIS);
        converse(socket);
      } catch (IOException notServed) {
        // The next one comes over another connection.
        notWell++;
      } catch (InterruptedException over) {
        return;
      }
    }
  }

  private void converse(Socket socket) throws IOException, InterruptedException {
    InputStream in = new BufferedInputStream(socket.getInputStream());
    while (!isOver) {
      long begin = System.nanoTime();
      socket.getOutputStream().write(REQUEST);
      if (isServed(in)) {
        well++;
      } else {
        notWell++;
      }
      slowestNanos = Math.max(slowestNanos, System.nanoTime() - begin);
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    }
  }

  /** Reads one response with a length; whether it is a 200. */
  private static boolean isServed(InputStream in) throws IOException {
    String status = line(in);
    long length = 0;
    for (String field = line(in); !field.isEmpty(); field = line(in)) {
      if (field.regionMatches(true, 0, "content-length:", 0, "content-length:".length())) {
        length = Long.parseLong(field.substring("content-length:".length()).strip());
      }
    }
    in.skipNBytes(length);
    return status.startsWith("HTTP/1.1 200 ");
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int read = in.read(); read != '\n'; read = in.read()) {
      if (read < 0) {
        throw new IOException("closed");
      }
      if (read != '\r') {
        line.append((char) read);
      }
    }
    return line.toString();
  }

  /** Ends it. */
  Served end() throws InterruptedException {
    isOver = true;
    thread.join();
    return new Served(well + notWell, well, slowestNanos / 1e6);
  }

  @Override
  public void close() {
    isOver = true;
    thread.interrupt();
  }
}
