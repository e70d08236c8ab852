package io.forebay.testing;

import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * An origin that says on each path exactly what a test tells it to, right or wrong, and keeps the
 * requests. A {@link ScriptedOrigin} below requests: this reads them whole before their script
 * runs.
 */
public final class PathOrigin implements AutoCloseable {
  private final ScriptedOrigin origin;
  private final Map<String, Script> scripts = new ConcurrentHashMap<>();
  private final List<Request> heads = new CopyOnWriteArrayList<>();
  private final List<Request> requests = new CopyOnWriteArrayList<>();
  private volatile Script otherwise = PathOrigin::unknown;

  private PathOrigin(ScriptedOrigin origin) {
    this.origin = origin;
  }

  /** What is said on a path. */
  @FunctionalInterface
  public interface Script {
    void serve(Exchange exchange) throws Exception;
  }

  /** A field line; the name in lower case. */
  public record Field(String name, String value) {}

  /** A request as it came. */
  @SuppressWarnings("ArrayRecordComponent") // Made once, read by tests.
  public record Request(String method, String target, List<Field> fields, byte[] body) {
    public String path() {
      int question = target.indexOf('?');
      return question < 0 ? target : target.substring(0, question);
    }

    public String field(String name) {
      return String.join(
          ", ",
          fields.stream()
              .filter(field -> field.name().equals(name.toLowerCase(Locale.ROOT)))
              .map(Field::value)
              .toList());
    }

    @Override
    public String toString() {
      return method + " " + target + " " + fields;
    }
  }

  public static PathOrigin start() throws IOException {
    PathOrigin origin = new PathOrigin(ScriptedOrigin.startAt(Ports.free()));
    origin.origin.serve(origin::converse);
    return origin;
  }

  public String url() {
    return origin.url();
  }

  public int port() {
    return origin.port();
  }

  /** Says this from now on to requests for the path, whatever their query. */
  public void on(String path, Script script) {
    scripts.put(path, script);
  }

  /** Says this to requests for all other paths. */
  public void otherwise(Script script) {
    otherwise = script;
  }

  /** A path with a body that may be cached for an hour. */
  public void cacheable(String path, String body) {
    on(path, exchange -> exchange.respond(200, "Cache-Control: max-age=3600\r\n", body));
  }

  /** Requests that arrived whole. */
  public List<Request> requests() {
    return List.copyOf(requests);
  }

  public List<Request> requests(String path) {
    return requests.stream().filter(request -> request.path().equals(path)).toList();
  }

  public int count(String path) {
    return requests(path).size();
  }

  /** Requests whose head arrived, whatever became of their bodies. */
  public List<Request> heads() {
    return List.copyOf(heads);
  }

  /** Connections accepted so far. */
  public int connections() {
    return origin.accepted();
  }

  private void converse(Connection connection) throws IOException {
    try (connection) {
      connection.buffered().timeoutMillis(0);
      while (true) {
        Request request = read(connection);
        Exchange exchange = new Exchange(request, connection);
        scripts.getOrDefault(request.path(), otherwise).serve(exchange);
        if (exchange.isClosing) {
          return;
        }
      }
    } catch (IOException | RuntimeException broken) {
      throw broken;
    } catch (Exception broken) {
      throw new IllegalStateException("a script failed", broken);
    }
  }

  private static void unknown(Exchange exchange) throws IOException {
    exchange.respond(404, "Cache-Control: no-store\r\n", "nothing here");
  }

  private Request read(Connection connection) throws IOException {
    String[] lines = connection.head().split("\r\n", -1);
    String[] words = lines[0].split(" ", 3);
    List<Field> fields = new ArrayList<>();
    for (int i = 1; !lines[i].isEmpty(); i++) {
      int colon = lines[i].indexOf(':');
      fields.add(
          new Field(
              lines[i].substring(0, colon).toLowerCase(Locale.ROOT),
              lines[i].substring(colon + 1).strip()));
    }
    Request head = new Request(words[0], words[1], fields, new byte[0]);
    heads.add(head);
    if (head.field("expect").equalsIgnoreCase("100-continue")) {
      connection.send("HTTP/1.1 100 Continue\r\n\r\n");
    }
    Request request = new Request(words[0], words[1], fields, body(head, connection));
    requests.add(request);
    return request;
  }

  private static byte[] body(Request head, Connection connection) throws IOException {
    if (!head.field("transfer-encoding").equalsIgnoreCase("chunked")) {
      String length = head.field("content-length");
      return connection.bytes(length.isEmpty() ? 0 : Integer.parseInt(length));
    }
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    while (true) {
      int length = Integer.parseInt(connection.line().split(";", 2)[0].strip(), 16);
      body.writeBytes(connection.bytes(length));
      String end = connection.line();
      if (length == 0) {
        while (!end.isEmpty()) {
          // A trailer.
          end = connection.line();
        }
        return body.toByteArray();
      }
    }
  }

  /** Ends all connections; fails if a script did. */
  @Override
  public void close() throws IOException {
    origin.close();
  }

  /** One request and the connection it came on. */
  public static final class Exchange {
    private final Request request;
    private final Connection connection;
    private boolean isClosing;

    private Exchange(Request request, Connection connection) {
      this.request = request;
      this.connection = connection;
    }

    public Request request() {
      return request;
    }

    /** A whole response; the field lines end with CR LF each. */
    public void respond(int status, String fields, byte[] body) throws IOException {
      send(
          "HTTP/1.1 "
              + status
              + " Scripted\r\n"
              + fields
              + (status == 204 || status == 304 ? "" : "Content-Length: " + body.length + "\r\n")
              + "\r\n");
      if (!request.method().equals("HEAD") && status != 204 && status != 304) {
        send(body);
      }
    }

    public void respond(int status, String fields, String body) throws IOException {
      respond(status, fields, body.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Every character is a byte. */
    public void send(String text) throws IOException {
      connection.send(text);
    }

    public void send(byte[] bytes) throws IOException {
      connection.send(bytes);
    }

    public void chunk(byte[] bytes) throws IOException {
      send(Integer.toHexString(bytes.length) + "\r\n");
      send(bytes);
      send("\r\n");
    }

    public void lastChunk() throws IOException {
      send("0\r\n\r\n");
    }

    /** Closes once this script is over. */
    public void close() {
      isClosing = true;
    }

    /** Closes now, so that the peer sees a reset. */
    public void reset() throws IOException {
      isClosing = true;
      connection.reset();
    }

    /** Waits until the edge closes this connection. */
    public void awaitClose() throws IOException {
      isClosing = true;
      connection.awaitClose();
    }
  }
}
