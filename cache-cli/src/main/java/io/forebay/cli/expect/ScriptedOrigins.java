package io.forebay.cli.expect;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Stands in for the servers of origins: each listens on a port of 127.0.0.1, answers as the step in
 * hand says, and keeps what it was asked.
 */
final class ScriptedOrigins implements AutoCloseable {
  private static final int MAX_KEPT = 10_000;
  private static final Pattern RANGE = Pattern.compile("bytes=(\\d{0,9})-(\\d{0,9})");
  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private final LongSupplier clockMillis;
  private final Map<String, ServerSocket> servers = new LinkedHashMap<>();
  private final Set<Socket> connections = ConcurrentHashMap.newKeySet();

  // What follows is guarded by this.
  private List<ScriptedAnswer> answers = List.of();
  private Map<String, List<ScriptedAnswer>> answersByOrigin = Map.of();
  private final Map<String, Integer> answered = new HashMap<>();
  private final List<ReceivedRequest> requests = new ArrayList<>();
  private final List<ReceivedRequest> unanswered = new ArrayList<>();

  ScriptedOrigins(LongSupplier clockMillis) {
    this.clockMillis = clockMillis;
  }

  /** The port of a server, which is opened where it is asked for first. */
  int open(String origin, int number) {
    ServerSocket server =
        servers.computeIfAbsent(origin + "/" + number, key -> listen(origin, number));
    return server.getLocalPort();
  }

  /** Whether there is an origin, or a server, of that name. */
  boolean knows(String name) {
    return servers.containsKey(name) || servers.containsKey(name + "/1");
  }

  List<String> names() {
    return servers.keySet().stream()
        .map(key -> key.endsWith("/1") ? key.substring(0, key.length() - 2) : key)
        .toList();
  }

  private ServerSocket listen(String origin, int number) {
    try {
      ServerSocket server = new ServerSocket(0, 128, InetAddress.ofLiteral("127.0.0.1"));
      Thread.ofVirtual().name("origin-" + origin).start(() -> accept(server, origin, number));
      return server;
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** What holds from now on; what was asked before is forgotten. */
  synchronized void begin(List<ScriptedAnswer> any, Map<String, List<ScriptedAnswer>> byOrigin) {
    answers = any;
    answersByOrigin = byOrigin;
    answered.clear();
    requests.clear();
    unanswered.clear();
  }

  /** What was asked since then. */
  synchronized List<ReceivedRequest> requests() {
    return List.copyOf(requests);
  }

  /** Those of them for which the script has no answer. */
  synchronized List<ReceivedRequest> unanswered() {
    return List.copyOf(unanswered);
  }

  private void accept(ServerSocket server, String origin, int number) {
    while (!server.isClosed()) {
      try {
        Socket connection = server.accept();
        connections.add(connection);
        Thread.ofVirtual().name("origin-" + origin).start(() -> serve(connection, origin, number));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket connection, String origin, int number) {
    try (connection) {
      connection.setTcpNoDelay(true);
      InputStream in = new BufferedInputStream(connection.getInputStream());
      for (Wire.Head head = Wire.head(in); head != null; head = Wire.head(in)) {
        String[] words = head.first().split(" ", -1);
        byte[] body = Wire.body(in, head, false);
        ReceivedRequest request =
            new ReceivedRequest(
                origin,
                number,
                words[0],
                words.length > 1 ? words[1] : "",
                head.fields(),
                new String(body, StandardCharsets.UTF_8));
        if (!write(connection.getOutputStream(), request, answer(request))) {
          return;
        }
      }
    } catch (IOException gone) {
      // The node closes connections as it likes.
    } finally {
      connections.remove(connection);
    }
  }

  private synchronized @Nullable ScriptedAnswer answer(ReceivedRequest request) {
    if (requests.size() < MAX_KEPT) {
      requests.add(request);
    }
    String server = request.origin() + "/" + request.server();
    for (String key : List.of(server, request.origin())) {
      List<ScriptedAnswer> own = answersByOrigin.getOrDefault(key, List.of());
      if (!own.isEmpty()) {
        return next(key, own);
      }
    }
    if (answers.isEmpty()) {
      unanswered.add(request);
      return null;
    }
    return next("", answers);
  }

  private ScriptedAnswer next(String key, List<ScriptedAnswer> list) {
    int turn = answered.merge(key, 1, Integer::sum);
    return list.get(Math.min(turn, list.size()) - 1);
  }

  /** Whether the connection goes on. */
  private boolean write(OutputStream out, ReceivedRequest request, @Nullable ScriptedAnswer answer)
      throws IOException {
    if (answer == null) {
      out.write(
          "HTTP/1.1 500 Unscripted\r\ncache-control: no-store\r\ncontent-length: 0\r\n\r\n"
              .getBytes(StandardCharsets.ISO_8859_1));
      out.flush();
      return true;
    }
    if (answer.failure() == ScriptedAnswer.Failure.CLOSES) {
      return false;
    }
    byte[] body = answer.body();
    int status = answer.status();
    StringBuilder head = new StringBuilder();
    Matcher range = RANGE.matcher(HeaderLine.first(request.fields(), "range"));
    if (answer.ranges() && status == 200 && range.matches() && isSame(request, answer)) {
      int from = from(range, body.length);
      int to = to(range, body.length);
      if (from >= body.length || from > to) {
        status = 416;
        head.append("content-range: bytes */").append(body.length).append("\r\n");
        body = new byte[0];
      } else {
        status = 206;
        head.append("content-range: bytes ")
            .append(from)
            .append('-')
            .append(to)
            .append('/')
            .append(body.length)
            .append("\r\n");
        body = Arrays.copyOfRange(body, from, to + 1);
      }
    }
    for (HeaderLine field : answer.headers()) {
      head.append(field.name()).append(": ").append(field.value()).append("\r\n");
    }
    if (!HeaderLine.isIn(answer.headers(), "date") && status >= 200) {
      Instant now = Instant.ofEpochMilli(clockMillis.getAsLong());
      head.append("date: ").append(DATE.format(now)).append("\r\n");
    }
    boolean hasBody = status >= 200 && status != 204 && status != 304;
    if (hasBody) {
      head.append("content-length: ").append(body.length).append("\r\n");
    }
    out.write(
        ("HTTP/1.1 " + status + " Scripted\r\n" + head + "\r\n")
            .getBytes(StandardCharsets.ISO_8859_1));
    boolean isCut = answer.failure() == ScriptedAnswer.Failure.BREAKS_OFF;
    if (hasBody && !request.method().equals("HEAD")) {
      out.write(body, 0, isCut ? body.length / 2 : body.length);
    }
    out.flush();
    return !isCut && status >= 200;
  }

  /** RFC 9110 §13.1.5: a range is asked for only of what the client has the rest of. */
  private static boolean isSame(ReceivedRequest request, ScriptedAnswer answer) {
    String condition = HeaderLine.first(request.fields(), "if-range");
    return condition.isEmpty()
        || condition.equals(HeaderLine.first(answer.headers(), "etag"))
        || condition.equals(HeaderLine.first(answer.headers(), "last-modified"));
  }

  private static int from(Matcher range, int length) {
    String first = String.valueOf(range.group(1));
    String last = String.valueOf(range.group(2));
    return first.isEmpty()
        ? Math.max(0, length - (last.isEmpty() ? 0 : Integer.parseInt(last)))
        : Integer.parseInt(first);
  }

  private static int to(Matcher range, int length) {
    String first = String.valueOf(range.group(1));
    String last = String.valueOf(range.group(2));
    return first.isEmpty() || last.isEmpty()
        ? length - 1
        : Math.min(length - 1, Integer.parseInt(last));
  }

  @Override
  public void close() {
    for (ServerSocket server : servers.values()) {
      closeQuietly(server);
    }
    connections.forEach(ScriptedOrigins::closeQuietly);
  }

  private static void closeQuietly(AutoCloseable socket) {
    try {
      socket.close();
    } catch (Exception ignored) {
      // It is closed, or never was open.
    }
  }
}
