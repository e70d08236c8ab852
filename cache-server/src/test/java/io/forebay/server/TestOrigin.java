package io.forebay.server;

import io.forebay.testing.ScriptedOrigin;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A scripted origin that answers each path as its test specifies and records the requests. Unlike
 * {@code PathOrigin} it counts the requests of each path and leaves their bodies to the answer,
 * which may send before it reads.
 */
final class TestOrigin implements AutoCloseable {

  /** One request as the origin saw it; {@code number} counts those for its path, from 1. */
  record Request(String method, String target, String head, int number) {
    List<String> fields(String name) {
      return Connection.fields(head, name);
    }

    String field(String name) {
      List<String> values = fields(name);
      return values.isEmpty() ? "" : values.getFirst();
    }
  }

  /** Answers one request on the connection it came by. */
  @FunctionalInterface
  interface Answer {
    void to(Request request, Connection connection) throws IOException;
  }

  private final ScriptedOrigin origin = ScriptedOrigin.start();
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();
  private final Map<String, List<Request>> requests = new ConcurrentHashMap<>();

  TestOrigin() {
    origin.serve(this::converse);
  }

  private void converse(Connection connection) throws IOException {
    while (true) {
      String head = connection.head();
      String[] line = head.split(" ", 3);
      String path = line[1].split("\\?", 2)[0];
      Request request;
      List<Request> seen = requests.computeIfAbsent(path, key -> new CopyOnWriteArrayList<>());
      synchronized (seen) {
        request = new Request(line[0], line[1], head, seen.size() + 1);
        seen.add(request);
      }
      Answer answer = answers.get(path);
      if (answer == null) {
        connection.send("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
      } else {
        answer.to(request, connection);
      }
    }
  }

  String url() {
    return origin.url();
  }

  TestOrigin on(String path, Answer answer) {
    answers.put(path, answer);
    return this;
  }

  List<Request> requests(String path) {
    return requests.getOrDefault(path, List.of());
  }

  int count(String path) {
    return requests(path).size();
  }

  /** A 200 of known length; the fields each end with CRLF. */
  static Answer ok(String fields, byte[] body) {
    return (request, connection) -> {
      if (request.method().equals("HEAD")) {
        sendHead(connection, fields, body.length);
      } else {
        sendOk(connection, fields, body);
      }
    };
  }

  static void sendOk(Connection connection, String fields, byte[] body) throws IOException {
    sendHead(connection, fields, body.length).send(body);
  }

  static Connection sendHead(Connection connection, String fields, long length) throws IOException {
    return connection.send(
        "HTTP/1.1 200 OK\r\n" + fields + "content-length: " + length + "\r\n\r\n");
  }

  /** A 200 whose length only its end tells. */
  static Answer chunked(String fields, byte[] body, int chunkBytes) {
    return (request, connection) -> {
      connection.send("HTTP/1.1 200 OK\r\n" + fields + "transfer-encoding: chunked\r\n\r\n");
      for (int from = 0; from < body.length; from += chunkBytes) {
        int length = Math.min(chunkBytes, body.length - from);
        ByteArrayOutputStream chunk = new ByteArrayOutputStream(length + 16);
        chunk.writeBytes(ascii(Integer.toHexString(length) + "\r\n"));
        chunk.write(body, from, length);
        chunk.writeBytes(ascii("\r\n"));
        connection.send(chunk.toByteArray());
      }
      connection.send("0\r\n\r\n");
    };
  }

  static void notModified(Connection connection, String fields) throws IOException {
    connection.send("HTTP/1.1 304 Not Modified\r\n" + fields + "\r\n");
  }

  static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Waits until a test lets go; bounded, so that a broken test ends. */
  static void await(CountDownLatch gate) throws IOException {
    try {
      if (!gate.await(120, TimeUnit.SECONDS)) {
        throw new AssertionError("the test never opened the gate");
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    origin.close();
  }
}
