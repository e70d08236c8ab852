package io.forebay.benchmarks.attack;

import io.forebay.testing.Http3Client;
import io.forebay.testing.Http3Client.Answer;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A client that speaks HTTP/3 to do harm, to a server on loopback. It begins a new connection
 * whenever one is ended by the other side. A program of its own:
 *
 * <pre>
 * java -cp benchmarks/target/benchmarks.jar io.forebay.benchmarks.attack.Http3Attack \\
 *     rapid-reset 8443 ca.pem 10
 * </pre>
 */
final class Http3Attack {
  private static final int RESERVED_FRAMES = 2_000;
  private static final int PAUSE_MILLIS = 20;

  /** What is done. */
  enum Kind {
    /** Requests, each taken back at once. */
    RAPID_RESET("rapid-reset"),
    /** Frames on the control stream that mean nothing. */
    FRAMES("frame-flood"),
    /** Connections that ask for nothing. */
    HANDSHAKES("handshake-flood");

    final String word;

    Kind(String word) {
      this.word = word;
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
  private final int port;
  private final Path trusted;
  private final long seconds;
  private long endNanos;
  private long frames;
  private long connections;
  private long ended;

  private Http3Attack(Kind kind, int port, Path trusted, long seconds) {
    this.kind = kind;
    this.port = port;
    this.trusted = trusted;
    this.seconds = seconds;
  }

  public static void main(String[] arguments) throws Exception {
    Http3Attack attack =
        new Http3Attack(
            Kind.of(arguments[0]),
            Integer.parseInt(arguments[1]),
            Path.of(arguments[2]),
            Long.parseLong(arguments[3]));
    attack.begin();
    attack.run();
    System.out.printf(
        "%d frames, %d connections, %d ended by the other side%n",
        attack.frames, attack.connections, attack.ended);
    // A connection that waits for the other side ends with the process.
    System.exit(0);
  }

  /** The first connection loads the classes of QUIC, which may take seconds. */
  private void begin() throws Exception {
    try (Http3Client client = new Http3Client(port, trusted)) {
      client.get("/attacked").end();
    }
    endNanos = System.nanoTime() + seconds * 1_000_000_000L;
  }

  private boolean isOver() {
    return System.nanoTime() >= endNanos;
  }

  @SuppressWarnings("try") // one that is interrupted ends
  private void run() {
    while (!isOver()) {
      try (Http3Client client = new Http3Client(port, trusted)) {
        connections++;
        attack(client);
        if (client.closed.isDone()) {
          ended++;
        }
      } catch (Exception | AssertionError endedByThem) {
        // That is what is hoped for; the next connection shows whether they still take any.
        ended++;
      }
    }
  }

  private void attack(Http3Client client) throws Exception {
    switch (kind) {
      case RAPID_RESET -> {
        while (!isOver() && !client.closed.isDone()) {
          Answer answer = client.get("/attacked");
          client.reset(answer);
          frames += 2;
        }
      }
      case FRAMES -> {
        byte[] reserved = new byte[2 * RESERVED_FRAMES];
        for (int i = 0; i < reserved.length; i += 2) {
          reserved[i] = 0x21; // a type that receivers must ignore, without payload
        }
        // The control stream is there once the server has answered.
        client.get("/attacked").end();
        while (!isOver() && !client.closed.isDone()) {
          client.control(reserved);
          frames += RESERVED_FRAMES;
          awaitClose(client, PAUSE_MILLIS);
        }
      }
      case HANDSHAKES -> frames++;
    }
  }

  /**
   * Frames are written behind the caller's back: without a pause they would fill its own memory.
   */
  private static void awaitClose(Http3Client client, int millis) throws Exception {
    try {
      client.closed.get(millis, TimeUnit.MILLISECONDS);
    } catch (TimeoutException stillOpen) {
      // The next frames tell.
      return;
    }
  }
}
