package io.forebay.benchmarks.soak;

import io.forebay.testing.ScriptedOrigin;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

/** A healthy origin on loopback that knows single ranges and If-Range. */
final class SoakOrigin implements AutoCloseable {

  private final Objects objects;
  private final ScriptedOrigin origin = ScriptedOrigin.start();
  private final AtomicLong requests = new AtomicLong();

  SoakOrigin(Objects objects) {
    this.objects = objects;
    origin.serve(this::converse);
  }

  int port() {
    return origin.port();
  }

  long requests() {
    return requests.get();
  }

  private void converse(Connection connection) throws IOException {
    try (connection) {
      connection.buffered().timeoutMillis(0);
      while (true) {
        answer(connection.head(), connection);
      }
    }
  }

  private void answer(String request, Connection connection) throws IOException {
    requests.incrementAndGet();
    String[] words = request.split(" ", 3);
    String range = field(request, "range").replace("bytes=", "");
    String condition = field(request, "if-range");
    int object = Integer.parseInt(words[1].substring(1));
    String tag = "\"" + object + "\"";
    boolean hasTag = objects.hasValidator(object);
    int length = objects.length(object);
    int from = 0;
    int to = length;
    boolean isPart =
        range.matches("\\d+-\\d*") && (condition.isEmpty() || (hasTag && condition.equals(tag)));
    if (isPart) {
      String[] ends = range.split("-", -1);
      from = Integer.parseInt(ends[0]);
      to = ends[1].isEmpty() ? length : Math.min(length, Integer.parseInt(ends[1]) + 1);
    }
    StringBuilder head =
        new StringBuilder(isPart ? "HTTP/1.1 206 Part\r\n" : "HTTP/1.1 200 OK\r\n");
    head.append("Cache-Control: max-age=86400\r\n");
    if (hasTag) {
      head.append("ETag: ").append(tag).append("\r\n");
    }
    if (isPart) {
      head.append("Content-Range: bytes ").append(from).append('-').append(to - 1);
      head.append('/').append(length).append("\r\n");
    }
    head.append("Content-Length: ").append(to - from).append("\r\n\r\n");
    connection.send(head.toString());
    if (!words[0].equals("HEAD")) {
      connection.send(objects.pool, objects.offset(object) + from, to - from);
    }
  }

  private static String field(String head, String name) {
    return String.join(", ", Connection.fields(head, name));
  }

  @Override
  public void close() throws IOException {
    origin.close();
  }
}
