package io.forebay.e2e;

import io.forebay.testing.Ports;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An origin that sends on each path exactly what a test specifies, valid or not. One thread per
 * connection.
 */
final class ScriptedOrigin implements AutoCloseable {
  private final ServerSocket listening;
  private final Map<String, Script> scripts = new ConcurrentHashMap<>();
  private final List<Request> heads = new CopyOnWriteArrayList<>();
  private final List<Request> requests = new CopyOnWriteArrayList<>();
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger connections = new AtomicInteger();
  private volatile Script otherwise = ScriptedOrigin::unknown;

  private ScriptedOrigin(ServerSocket listening) {
    this.listening = listening;
  }

  /** What is said on a path. */
  interface Script {
    void serve(Exchange exchange) throws Exception;
  }

  /** A field line; the name in lower case. */
  record Field(String name, String value) {}

  /** A request as it came. */
  @SuppressWarnings("ArrayRecordComponent") // Made once, read by tests.
  record Request(String method, String target, List<Field> fields, byte[] body) {
    String path() {
      int question = target.indexOf('?');
      return question < 0 ? target : target.substring(0, question);
    }

    String field(String name) {
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

  static ScriptedOrigin start() throws IOException {
    ServerSocket listening = new ServerSocket();
    listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), Ports.free()), 1024);
    ScriptedOrigin origin = new ScriptedOrigin(listening);
    Thread.ofVirtual().name("scripted-origin").start(origin::accept);
    return origin;
  }

  String url() {
    return "http://127.0.0.1:" + port();
  }

  int port() {
    return listening.getLocalPort();
  }

  /** Says this from now on to requests for the path, whatever their query. */
  void on(String path, Script script) {
    scripts.put(path, script);
  }

  /** Says this to requests for all other paths. */
  void otherwise(Script script) {
    otherwise = script;
  }

  /** A path with a body that may be cached for an hour. */
  void cacheable(String path, String body) {
    on(path, exchange -> exchange.respond(200, "Cache-Control: max-age=3600\r\n", body));
  }

  /** Requests that arrived whole. */
  List<Request> requests() {
    return List.copyOf(requests);
  }

  List<Request> requests(String path) {
    return requests.stream().filter(request -> request.path().equals(path)).toList();
  }

  int count(String path) {
    return requests(path).size();
  }

  /** Requests whose head arrived, whatever became of their bodies. */
  List<Request> heads() {
    return List.copyOf(heads);
  }

  /** Connections accepted so far. */
  int connections() {
    return connections.get();
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket socket = listening.accept();
        connections.incrementAndGet();
        open.add(socket);
        Thread.ofVirtual().start(() -> serve(socket));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      socket.setTcpNoDelay(true);
      InputStream in = new BufferedInputStream(socket.getInputStream());
      while (true) {
        Request request = read(in, socket.getOutputStream());
        if (request == null) {
          return;
        }
        Exchange exchange = new Exchange(request, socket, in);
        scripts.getOrDefault(request.path(), otherwise).serve(exchange);
        if (exchange.isClosing) {
          return;
        }
      }
    } catch (IOException gone) {
      // the edge closed, or the test did
    } catch (Exception broken) {
      throw new IllegalStateException("a script failed", broken);
    } finally {
      open.remove(socket);
    }
  }

  private static void unknown(Exchange exchange) throws IOException {
    exchange.respond(404, "Cache-Control: no-store\r\n", "nothing here");
  }

  private @Nullable Request read(InputStream in, OutputStream out) throws IOException {
    String requestLine = line(in);
    if (requestLine == null) {
      return null;
    }
    String[] words = requestLine.split(" ", 3);
    List<Field> fields = new ArrayList<>();
    for (String line = line(in); line != null && !line.isEmpty(); line = line(in)) {
      int colon = line.indexOf(':');
      fields.add(
          new Field(
              line.substring(0, colon).toLowerCase(Locale.ROOT),
              line.substring(colon + 1).strip()));
    }
    Request head = new Request(words[0], words[1], fields, new byte[0]);
    heads.add(head);
    if (head.field("expect").equalsIgnoreCase("100-continue")) {
      out.write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
      out.flush();
    }
    Request request = new Request(words[0], words[1], fields, body(head, in));
    requests.add(request);
    return request;
  }

  private static byte[] body(Request head, InputStream in) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    if (head.field("transfer-encoding").equalsIgnoreCase("chunked")) {
      while (true) {
        String size = line(in);
        if (size == null) {
          throw new IOException("cut off between chunks");
        }
        int length = Integer.parseInt(size.split(";", 2)[0].strip(), 16);
        body.writeBytes(exactly(in, length));
        if (length == 0) {
          for (String line = line(in); line != null && !line.isEmpty(); line = line(in)) {
            // trailers
          }
          return body.toByteArray();
        }
        line(in);
      }
    }
    String length = head.field("content-length");
    return length.isEmpty() ? new byte[0] : exactly(in, Integer.parseInt(length));
  }

  private static byte[] exactly(InputStream in, int length) throws IOException {
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new IOException("cut off in a body");
    }
    return bytes;
  }

  private static @Nullable String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        return null;
      }
      line.write(b);
    }
    String text = line.toString(StandardCharsets.ISO_8859_1);
    return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
  }

  @Override
  public void close() throws IOException {
    listening.close();
    for (Socket socket : open) {
      socket.close();
    }
  }

  /** One request and the connection it came on. */
  static final class Exchange {
    private final Request request;
    private final Socket socket;
    private final InputStream in;
    private boolean isClosing;

    private Exchange(Request request, Socket socket, InputStream in) {
      this.request = request;
      this.socket = socket;
      this.in = in;
    }

    Request request() {
      return request;
    }

    /** A whole response; the field lines end with CR LF each. */
    void respond(int status, String fields, byte[] body) throws IOException {
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

    void respond(int status, String fields, String body) throws IOException {
      respond(status, fields, body.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Every character is a byte. */
    void send(String text) throws IOException {
      send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    void send(byte[] bytes) throws IOException {
      socket.getOutputStream().write(bytes);
      socket.getOutputStream().flush();
    }

    void chunk(byte[] bytes) throws IOException {
      send(Integer.toHexString(bytes.length) + "\r\n");
      send(bytes);
      send("\r\n");
    }

    void lastChunk() throws IOException {
      send("0\r\n\r\n");
    }

    /** Closes once this script is over. */
    void close() {
      isClosing = true;
    }

    /** Closes now, so that the peer sees a reset. */
    void reset() throws IOException {
      isClosing = true;
      socket.setSoLinger(true, 0);
      socket.close();
    }

    /** Waits until the edge closes this connection. */
    void awaitClose() throws IOException {
      isClosing = true;
      in.readAllBytes();
    }
  }
}
