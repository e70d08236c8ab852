package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import io.forebay.testing.ScriptedOrigin;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The origin of a script: accepts requests as they arrive and answers them when the script says so.
 */
final class ScriptOrigin implements AutoCloseable {

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private ScriptedOrigin origin = ScriptedOrigin.start();
  private boolean isListening = true;
  private final List<Exchange> waiting = new ArrayList<>();

  ScriptOrigin() {
    origin.serve(this::converse);
  }

  /** A request that has come, and the way back. */
  static final class Exchange {
    private final Connection connection;
    private final String head;
    private final byte[] body;
    private final CountDownLatch answered = new CountDownLatch(1);
    private boolean isChunked;

    private Exchange(Connection connection, String head, byte[] body) {
      this.connection = connection;
      this.head = head;
      this.body = body;
    }

    String method() {
      return head.split(" ", 3)[0];
    }

    String target() {
      return head.split(" ", 3)[1];
    }

    List<String> all(String name) {
      return Connection.fields(head, name);
    }

    String head() {
      return head;
    }

    String body() {
      return new String(body, StandardCharsets.ISO_8859_1);
    }

    /** Sends a head; a body that is whole gets its length, any other goes out in chunks. */
    void head(int status, List<String> fields, byte[] whole, Script.Part part) throws IOException {
      StringBuilder out = new StringBuilder("HTTP/1.1 " + status + " Scripted\r\n");
      fields.forEach(field -> out.append(field).append("\r\n"));
      boolean saysLength =
          fields.stream()
              .anyMatch(field -> field.toLowerCase(Locale.ROOT).startsWith("content-length:"));
      boolean hasBody = status >= 200 && status != 204 && status != 304;
      if (hasBody && !saysLength && part == Script.Part.WHOLE) {
        out.append("content-length: ").append(whole.length).append("\r\n");
      } else if (hasBody && !saysLength) {
        isChunked = true;
        out.append("transfer-encoding: chunked\r\n");
      }
      connection.send(out.append("\r\n").toString());
    }

    void part(byte[] bytes, Script.Part part) throws IOException {
      if (bytes.length > 0 && !method().equals("HEAD")) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        if (isChunked) {
          out.writeBytes(TestOrigin.ascii(Integer.toHexString(bytes.length) + "\r\n"));
        }
        out.writeBytes(bytes);
        if (isChunked) {
          out.writeBytes(TestOrigin.ascii("\r\n"));
        }
        connection.send(out.toByteArray());
      }
      switch (part) {
        case BEGINS, GOES_ON -> {}
        case BREAKS_OFF -> {
          connection.close();
          answered.countDown();
        }
        case WHOLE, ENDS -> {
          if (isChunked) {
            connection.send("0\r\n\r\n");
          }
          answered.countDown();
        }
      }
    }
  }

  private void converse(Connection connection) throws IOException {
    while (true) {
      String head = connection.head();
      Exchange exchange = new Exchange(connection, head, body(connection, head));
      synchronized (waiting) {
        waiting.add(exchange);
        waiting.notifyAll();
      }
      TestOrigin.await(exchange.answered);
    }
  }

  private static byte[] body(Connection connection, String head) throws IOException {
    if (!Connection.fields(head, "transfer-encoding").isEmpty()) {
      return connection.chunkedBody();
    }
    List<String> length = Connection.fields(head, "content-length");
    return length.isEmpty() ? new byte[0] : connection.bytes(Integer.parseInt(length.getFirst()));
  }

  String url() {
    return origin.url();
  }

  /** Waits for the oldest request with that method and target that nobody has asked for yet. */
  Exchange take(String method, String target) throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    synchronized (waiting) {
      while (true) {
        for (Exchange exchange : waiting) {
          if (exchange.method().equals(method) && exchange.target().equals(target)) {
            waiting.remove(exchange);
            return exchange;
          }
        }
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (left <= 0) {
          return fail("no " + method + " " + target + " came; there are " + names());
        }
        waiting.wait(left);
      }
    }
  }

  private List<String> names() {
    return waiting.stream().map(exchange -> exchange.method() + " " + exchange.target()).toList();
  }

  void assertNothingLeft() {
    synchronized (waiting) {
      assertEquals(List.of(), names(), "requests that the script does not expect");
    }
  }

  /** Refuses connections from now on, and breaks off those there are. */
  void goes() throws IOException {
    isListening = false;
    origin.close();
  }

  /** Listens again in the same place. */
  void comes() {
    if (!isListening) {
      isListening = true;
      origin = ScriptedOrigin.startAt(origin.port()).serve(this::converse);
    }
  }

  @Override
  public void close() throws IOException {
    origin.close();
  }
}
