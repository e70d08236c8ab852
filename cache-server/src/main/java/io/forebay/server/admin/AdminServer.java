package io.forebay.server.admin;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.forebay.server.config.ConfigView;
import io.forebay.server.config.Loopback;
import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.metric.AccessLog;
import io.forebay.server.metric.NodeMetrics;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The admin API: JSON over HTTP/1.1 on a listener of its own, on virtual threads, so that whatever
 * it does is never done by an event loop. It is closed by default: callers are on this machine or
 * know the token, and a browser is never a caller.
 */
public final class AdminServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AdminServer.class);
  private static final Logger AUDIT = LoggerFactory.getLogger("forebay.audit");
  private static final int MAX_BODY_BYTES = 1 << 20;

  static {
    // The JDK's server has neither timeouts nor a bound on connections unless it is told by these,
    // which it reads once, when its first class is loaded. Values given on the command line stay.
    defaultProperty("sun.net.httpserver.idleInterval", "60");
    defaultProperty("sun.net.httpserver.maxReqTime", "30");
    defaultProperty("sun.net.httpserver.maxRspTime", "120");
    defaultProperty("sun.net.httpserver.maxReqHeaders", "64");
    defaultProperty("sun.net.httpserver.maxReqHeaderSize", "32768");
    defaultProperty("sun.net.httpserver.maxIdleConnections", "64");
    defaultProperty("jdk.httpserver.maxConnections", "256");
    // Its answers leave in two writes; with Nagle's algorithm the second waits for the client.
    defaultProperty("sun.net.httpserver.nodelay", "true");
  }

  private final Node node;
  private final NodeMetrics metrics;
  private final StatsReport stats;
  private final PurgeCall purge;
  private final StoresCall stores;
  private final StoreCall store;
  private final WarmJobs warm;
  private final Address address;
  private final HttpServer server;
  private final ExecutorService threads;

  private AdminServer(
      Node node, NodeMetrics metrics, AccessLog accessLog, String version, HttpServer server) {
    this.node = node;
    this.metrics = metrics;
    this.server = server;
    address = node.config().admin().address();
    stats = new StatsReport(node, accessLog, version, System.nanoTime());
    purge = new PurgeCall(node);
    stores = new StoresCall(node, AUDIT);
    store = new StoreCall(node, AUDIT);
    warm = new WarmJobs(node, version);
    threads = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("admin-", 0).factory());
  }

  /**
   * Binds the address of the node's configuration and serves; called by a thread that is not
   * pinned.
   *
   * @throws IOException when the address cannot be bound
   */
  public static AdminServer start(
      Node node, NodeMetrics metrics, AccessLog accessLog, String version) throws IOException {
    Address address = node.config().admin().address();
    InetSocketAddress bind =
        address.host().equals("*")
            ? new InetSocketAddress(address.port())
            : new InetSocketAddress(address.host(), address.port());
    if (bind.isUnresolved()) {
      throw new IOException("admin address: " + address.host() + " does not resolve");
    }
    AdminServer admin = new AdminServer(node, metrics, accessLog, version, listen(address, bind));
    admin.server.setExecutor(admin.threads);
    admin.server.createContext("/", admin::handle);
    admin.server.start();
    return admin;
  }

  private static HttpServer listen(Address address, InetSocketAddress bind) throws IOException {
    try {
      return HttpServer.create(bind, 64);
    } catch (BindException e) {
      BindException named =
          new BindException(
              "admin " + address.host() + ":" + address.port() + ": " + e.getMessage());
      named.initCause(e);
      throw named;
    }
  }

  /** The port that is being listened on, also where the configuration asked for a free one. */
  public int port() {
    return server.getAddress().getPort();
  }

  /** The address that is being listened on. */
  public InetSocketAddress address() {
    return server.getAddress();
  }

  @Override
  public void close() {
    server.stop(0);
    warm.close();
    threads.shutdownNow();
  }

  private static void defaultProperty(String name, String value) {
    if (System.getProperty(name) == null) {
      System.setProperty(name, value);
    }
  }

  // One request.

  private void handle(HttpExchange exchange) throws IOException {
    Reply reply;
    try {
      reply = answer(exchange);
    } catch (AdminError e) {
      reply = Reply.error(e.status(), e.text(), e.problems(), e.leftOut());
    } catch (IOException e) {
      // The caller went away or broke its own request.
      exchange.close();
      return;
    } catch (RuntimeException e) {
      LOG.error("admin: {} {}", exchange.getRequestMethod(), path(exchange), e);
      reply = Reply.error(500, "internal error, see the log", List.of(), 0);
    }
    write(exchange, reply);
  }

  private Reply answer(HttpExchange exchange) throws AdminError, IOException {
    String path = path(exchange);
    boolean isProbe =
        switch (path) {
          case "/healthz", "/readyz", "/v1/health", "/v1/ready" -> true;
          default -> false;
        };
    boolean isTrusted = check(exchange, isProbe);
    String method = exchange.getRequestMethod();
    Endpoint endpoint = endpoint(path);
    if (endpoint == null) {
      throw new AdminError(404, "there is nothing at this path");
    }
    // HEAD is answered as GET, without the body.
    String asked = method.equals("HEAD") ? "GET" : method;
    if (!endpoint.methods().contains(asked)) {
      String allow =
          String.join(", ", endpoint.methods())
              + (endpoint.methods().contains("GET") ? ", HEAD" : "");
      exchange.getResponseHeaders().set("Allow", allow);
      throw new AdminError(405, "the method must be " + allow);
    }
    return endpoint.call().reply(exchange, asked, isTrusted);
  }

  /** A path's methods and what it does. */
  private record Endpoint(List<String> methods, Call call) {}

  private interface Call {
    Reply reply(HttpExchange exchange, String method, boolean isTrusted)
        throws AdminError, IOException;
  }

  private @Nullable Endpoint endpoint(String path) {
    return switch (path) {
      case "/healthz", "/v1/health" ->
          new Endpoint(
              List.of("GET"),
              (exchange, method, isTrusted) -> Reply.json(200, Json.object().put("status", "ok")));
      case "/readyz", "/v1/ready" ->
          new Endpoint(List.of("GET"), (exchange, method, isTrusted) -> ready(isTrusted));
      case "/v1/stats" ->
          new Endpoint(
              List.of("GET"), (exchange, method, isTrusted) -> Reply.json(200, stats.json()));
      case "/v1/config" ->
          new Endpoint(
              List.of("GET"),
              (exchange, method, isTrusted) ->
                  new Reply(
                      200,
                      "application/json",
                      (ConfigView.json(node.config()) + "\n").getBytes(StandardCharsets.UTF_8)));
      case "/v1/purge" ->
          new Endpoint(
              List.of("POST"),
              (exchange, method, isTrusted) ->
                  Reply.json(200, purge.run(Json.object(body(exchange)), caller(exchange))));
      case "/v1/purges" ->
          new Endpoint(
              List.of("GET"), (exchange, method, isTrusted) -> Reply.json(200, purge.latest()));
      case "/v1/reload" ->
          new Endpoint(List.of("POST"), (exchange, method, isTrusted) -> reload(caller(exchange)));
      case "/v1/warm" ->
          new Endpoint(
              List.of("GET", "POST"), (exchange, method, isTrusted) -> warm(exchange, method));
      case "/v1/explain" ->
          new Endpoint(
              List.of("POST"),
              (exchange, method, isTrusted) ->
                  Reply.json(200, store.explain(Json.object(body(exchange)))));
      case "/v1/stores" ->
          new Endpoint(
              List.of("GET"), (exchange, method, isTrusted) -> Reply.json(200, stores.list()));
      case "/v1/store/objects" ->
          new Endpoint(
              List.of("GET"),
              (exchange, method, isTrusted) -> Reply.json(200, store.objects(query(exchange))));
      case "/v1/store/object" ->
          new Endpoint(
              List.of("GET"),
              (exchange, method, isTrusted) -> Reply.json(200, store.object(query(exchange))));
      case "/v1/store/stat" ->
          new Endpoint(
              List.of("GET"), (exchange, method, isTrusted) -> Reply.json(200, store.stat()));
      case "/v1/store/map" ->
          new Endpoint(
              List.of("GET"), (exchange, method, isTrusted) -> Reply.json(200, store.map()));
      case "/v1/store/verify" ->
          new Endpoint(
              List.of("GET", "POST", "DELETE"),
              (exchange, method, isTrusted) -> verify(exchange, method));
      case "/metrics" ->
          new Endpoint(List.of("GET"), (exchange, method, isTrusted) -> metrics(exchange));
      default -> named(path);
    };
  }

  /** A path that ends in the name or number of one thing. */
  private @Nullable Endpoint named(String path) {
    if (path.matches("/v1/stores/[A-Za-z0-9_-]{1,64}")) {
      return new Endpoint(
          List.of("POST"),
          (exchange, method, isTrusted) ->
              Reply.json(
                  200,
                  stores.act(path.substring(11), Json.object(body(exchange)), caller(exchange))));
    }
    if (path.matches("/v1/purges/\\d{1,18}")) {
      return new Endpoint(
          List.of("GET"),
          (exchange, method, isTrusted) ->
              Reply.json(200, purge.status(Long.parseLong(path.substring(11)))));
    }
    return path.matches("/v1/warm/\\d{1,18}")
        ? new Endpoint(
            List.of("GET", "DELETE"),
            (exchange, method, isTrusted) ->
                warmJob(exchange, method, Long.parseLong(path.substring(9))))
        : null;
  }

  private Reply ready(boolean isTrusted) {
    List<Node.NotReady> reasons = node.notReady();
    ObjectNode ready = Json.object().put("ready", reasons.isEmpty());
    list(ready.putArray("reasons"), reasons, isTrusted);
    List<Node.NotReady> warnings = node.warnings();
    if (!warnings.isEmpty()) {
      list(ready.putArray("warnings"), warnings, isTrusted);
    }
    return Reply.json(reasons.isEmpty() ? 200 : 503, ready);
  }

  private static void list(ArrayNode list, List<Node.NotReady> reasons, boolean isTrusted) {
    for (Node.NotReady reason : reasons) {
      ObjectNode one = list.addObject().put("code", reason.code());
      // Details name hosts and files: not for those who only may probe.
      if (isTrusted) {
        one.put("detail", reason.detail());
      }
    }
  }

  /** One reload at a time: two would race for which snapshot stays. */
  private synchronized Reply reload(String caller) {
    Node.Reload reload = node.reload();
    AUDIT.info(
        "reload caller={} id={} changed={} errors={}",
        caller,
        reload.id(),
        reload.changed().size(),
        reload.errors().size());
    if (!reload.errors().isEmpty()) {
      Problems problems = new Problems();
      reload.errors().forEach(problems::add);
      return Reply.error(
          422,
          "the configuration was refused, the old one stays in force",
          problems,
          problems.leftOut());
    }
    ObjectNode answer = Json.object().put("id", reload.id());
    ArrayNode changed = answer.putArray("changed");
    reload.changed().forEach(changed::add);
    ArrayNode needsRestart = answer.putArray("needsRestart");
    reload.needsRestart().forEach(needsRestart::add);
    return Reply.json(200, answer);
  }

  private Reply warm(HttpExchange exchange, String method) throws AdminError, IOException {
    if (method.equals("GET")) {
      return Reply.json(200, warm.list());
    }
    WarmOrder order = WarmOrder.parse(Json.object(body(exchange)));
    long id = warm.start(order);
    AUDIT.info(
        "warm started caller={} job={} urls={} sitemaps={}",
        caller(exchange),
        id,
        order.urls().size(),
        order.sitemaps().size());
    exchange.getResponseHeaders().set("Location", "/v1/warm/" + id);
    return Reply.json(202, Json.object().put("job", id));
  }

  private Reply warmJob(HttpExchange exchange, String method, long id) throws AdminError {
    WarmJob job = warm.job(id);
    if (method.equals("DELETE")) {
      job.cancel();
      AUDIT.info("warm cancelled caller={} job={}", caller(exchange), id);
      return Reply.json(200, job.summary());
    }
    String query = exchange.getRequestURI().getRawQuery();
    long after = 0;
    if (query != null) {
      if (!query.matches("after=\\d{1,18}")) {
        throw new AdminError(400, "the query must be after=N");
      }
      after = Long.parseLong(query.substring(6));
    }
    return Reply.json(200, job.report(after));
  }

  private Reply verify(HttpExchange exchange, String method) throws AdminError, IOException {
    return switch (method) {
      case "POST" -> Reply.json(202, store.verify(Json.object(body(exchange)), caller(exchange)));
      case "DELETE" -> Reply.json(200, store.cancel(caller(exchange)));
      default -> Reply.json(200, store.verification());
    };
  }

  private Reply metrics(HttpExchange exchange) throws IOException {
    String accept = exchange.getRequestHeaders().getFirst("Accept");
    String type =
        accept != null && accept.contains("application/openmetrics-text")
            ? NodeMetrics.OPEN_METRICS
            : NodeMetrics.TEXT;
    ByteArrayOutputStream out = new ByteArrayOutputStream(32 << 10);
    metrics.scrape(out, type);
    return new Reply(200, type, out.toByteArray());
  }

  // Who may call.

  /** Whether the caller may see everything; probes are answered for anyone, but say less. */
  private boolean check(HttpExchange exchange, boolean isProbe) throws AdminError {
    // Browsers send Origin with whatever a page could do harm by; tools do not.
    if (exchange.getRequestHeaders().containsKey("Origin")) {
      throw new AdminError(403, "requests from web pages are refused");
    }
    // A page's simple GET or form has no Origin in every browser, but says where it comes from.
    // Another port of this machine is the same site, and still another program.
    for (String site : exchange.getRequestHeaders().getOrDefault("Sec-Fetch-Site", List.of())) {
      if (!site.equals("none") && !site.equals("same-origin")) {
        throw new AdminError(403, "requests from web pages are refused");
      }
    }
    String token = node.config().admin().token();
    boolean isTrusted = token == null || hasToken(exchange, token);
    if (!isTrusted && !isProbe) {
      exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
      throw new AdminError(401, "a token is needed: Authorization: Bearer TOKEN");
    }
    // A page whose name was rebound to this machine sends its own name as Host. Where the address
    // is not loopback a token is always configured, which such a page does not have, and the names
    // by which others reach this machine are not known here.
    if (Loopback.isLoopback(address.host()) && !isOwnHost(exchange)) {
      throw new AdminError(403, "the Host field must be a loopback address or name");
    }
    return isTrusted;
  }

  private boolean isOwnHost(HttpExchange exchange) {
    List<String> fields = exchange.getRequestHeaders().getOrDefault("Host", List.of());
    if (fields.size() != 1) {
      return false;
    }
    String host = fields.getFirst();
    int end = host.startsWith("[") ? host.indexOf(']') + 1 : host.indexOf(':');
    String rest = end <= 0 ? "" : host.substring(end);
    String name = end <= 0 ? host : host.substring(0, end);
    if (name.startsWith("[") && name.length() > 2) {
      name = name.substring(1, name.length() - 1);
    }
    return (rest.isEmpty() || rest.matches(":\\d{1,5}"))
        && (Loopback.isLoopback(name) || name.equalsIgnoreCase(address.host()));
  }

  private static boolean hasToken(HttpExchange exchange, String token) {
    String given = exchange.getRequestHeaders().getFirst("Authorization");
    if (given == null || given.length() < 7 || !given.substring(0, 7).equalsIgnoreCase("Bearer ")) {
      return false;
    }
    // Digests have one length, so that the comparison tells nothing of the token's.
    return MessageDigest.isEqual(sha256(given.substring(7).strip()), sha256(token));
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("no SHA-256 in this Java", e);
    }
  }

  // Bytes.

  private static String path(HttpExchange exchange) {
    String path = exchange.getRequestURI().getRawPath();
    return path == null ? "" : path;
  }

  private static @Nullable String query(HttpExchange exchange) {
    return exchange.getRequestURI().getRawQuery();
  }

  private static String caller(HttpExchange exchange) {
    InetSocketAddress remote = exchange.getRemoteAddress();
    return remote == null || remote.getAddress() == null
        ? "unknown"
        : remote.getAddress().getHostAddress();
  }

  private static byte[] body(HttpExchange exchange) throws AdminError, IOException {
    byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY_BYTES + 1);
    if (body.length > MAX_BODY_BYTES) {
      // What was not read would be taken for the next request.
      exchange.getResponseHeaders().set("Connection", "close");
      throw new AdminError(413, "the body is larger than " + MAX_BODY_BYTES + " bytes");
    }
    return body;
  }

  private static void write(HttpExchange exchange, Reply reply) throws IOException {
    try (exchange) {
      exchange.getResponseHeaders().set("Content-Type", reply.type());
      exchange.getResponseHeaders().set("Cache-Control", "no-store");
      exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
      if (exchange.getRequestMethod().equals("HEAD")) {
        exchange.getResponseHeaders().set("Content-Length", Integer.toString(reply.body().length));
        exchange.sendResponseHeaders(reply.status(), -1);
      } else {
        exchange.sendResponseHeaders(reply.status(), reply.body().length);
        exchange.getResponseBody().write(reply.body());
      }
    }
  }

  /** A whole answer. */
  @SuppressWarnings("ArrayRecordComponent") // Made, written once, thrown away.
  private record Reply(int status, String type, byte[] body) {

    static Reply json(int status, ObjectNode node) {
      return new Reply(status, "application/json", Json.bytes(node));
    }

    static Reply error(int status, String text, List<String> problems, int leftOut) {
      ObjectNode error = Json.object().put("error", text);
      if (!problems.isEmpty()) {
        ArrayNode list = error.putArray("problems");
        problems.forEach(list::add);
      }
      if (leftOut > 0) {
        error.put("moreProblems", leftOut);
      }
      return json(status, error);
    }
  }
}
