package io.forebay.server.admin;

import io.forebay.server.accesslog.AccessLog;
import io.forebay.server.admin.report.StatsReport;
import io.forebay.server.audit.AuditLog;
import io.forebay.server.config.ConfigView;
import io.forebay.server.config.Loopback;
import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.json.AdminError;
import io.forebay.server.json.Json;
import io.forebay.server.metric.NodeMetrics;
import io.forebay.server.node.NodeControl;
import io.forebay.server.node.NodeStatus;
import io.forebay.server.warm.WarmJob;
import io.forebay.server.warm.WarmJobs;
import io.forebay.server.warm.WarmRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The admin API: JSON over HTTP/1.1 on its own listener, on virtual threads, so that its work never
 * runs on an event loop. Closed by default: callers are on this machine or know the token, and
 * requests from web pages are refused.
 */
public final class AdminServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AdminServer.class);
  private static final Logger AUDIT = LoggerFactory.getLogger("forebay.audit");

  private final NodeControl node;
  private final NodeMetrics metrics;
  private final StatsReport stats;
  private final PurgeEndpoint purge;
  private final ClusterEndpoint cluster;
  private final FleetEndpoint fleet;
  private final DisksEndpoint stores;
  private final StoreEndpoint store;
  private final OriginsEndpoint origins;
  private final ConfigEndpoint config;
  private final LogsEndpoint logs;
  private final WarmJobs warm;
  private final AuditedActions actions;
  private final AdminRoutes routes;
  private final Address address;
  private final AdminListener listener;
  private final ExecutorService threads;

  private AdminServer(
      NodeControl node,
      NodeMetrics metrics,
      AccessLog accessLog,
      AuditLog auditLog,
      String version,
      AdminListener.Bounds bounds) {
    this.node = node;
    actions = new AuditedActions(auditLog);
    this.metrics = metrics;
    address = node.config().admin().address();
    stats = new StatsReport(node, accessLog, version, System.nanoTime());
    purge = new PurgeEndpoint(node, Clock.systemUTC());
    cluster = new ClusterEndpoint(node, AUDIT);
    fleet = new FleetEndpoint(node, AUDIT);
    stores = new DisksEndpoint(node, AUDIT);
    store = new StoreEndpoint(node, AUDIT);
    origins = new OriginsEndpoint(node, AUDIT);
    config = new ConfigEndpoint(node, AUDIT);
    logs = new LogsEndpoint(accessLog, auditLog);
    warm = new WarmJobs(node, version);
    routes = table();
    threads = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("admin-", 0).factory());
    listener = new AdminListener(bounds, new Requests(), threads);
  }

  /**
   * Binds the address of the node's configuration and serves; called by a thread that is not
   * pinned.
   *
   * @throws IOException when the address cannot be bound
   */
  public static AdminServer start(
      NodeControl node, NodeMetrics metrics, AccessLog accessLog, AuditLog auditLog, String version)
      throws IOException {
    return start(node, metrics, accessLog, auditLog, version, AdminListener.Bounds.DEFAULT);
  }

  static AdminServer start(
      NodeControl node,
      NodeMetrics metrics,
      AccessLog accessLog,
      AuditLog auditLog,
      String version,
      AdminListener.Bounds bounds)
      throws IOException {
    AdminServer admin = new AdminServer(node, metrics, accessLog, auditLog, version, bounds);
    try {
      admin.bind();
    } catch (IOException | RuntimeException e) {
      admin.close();
      throw e;
    }
    return admin;
  }

  /**
   * Finds out whether a Unix-domain socket can be made, before anything else of a node is.
   *
   * @throws IOException if it belongs to another user, is no socket, or is in use
   */
  public static void check(Path socket) throws IOException {
    AdminSocketFile.check(socket);
  }

  private void bind() throws IOException {
    Path socket = address.unixFile();
    if (socket != null) {
      listener.bind(socket);
      return;
    }
    InetSocketAddress bind =
        address.host().equals("*")
            ? new InetSocketAddress(address.port())
            : new InetSocketAddress(address.host(), address.port());
    if (bind.isUnresolved()) {
      throw new IOException("admin address: " + address.host() + " does not resolve");
    }
    listener.bind(bind);
  }

  /**
   * The port that is being listened on, also where the configuration asked for a free one; 0 for a
   * Unix-domain socket.
   */
  public int port() {
    InetSocketAddress bound = listener.address();
    return bound == null ? 0 : bound.getPort();
  }

  /** The address that is being listened on, or null for a Unix-domain socket. */
  public @Nullable InetSocketAddress address() {
    return listener.address();
  }

  /** What it answers. */
  List<AdminRoutes.Route> routes() {
    return routes.all();
  }

  @Override
  public void close() {
    listener.close();
    warm.close();
    threads.shutdownNow();
  }

  // One request.

  private final class Requests implements AdminListener.Handler {
    @Override
    public @Nullable AdminReply refusal(AdminExchange head) {
      try {
        var _ = check(head);
        return null;
      } catch (AdminError e) {
        AdminReply reply = AdminReply.error(e);
        actions.answered(head, false, reply, 0);
        return reply;
      }
    }

    @Override
    public AdminReply answer(AdminExchange exchange) {
      long startNanos = System.nanoTime();
      boolean hasToken = node.config().admin().token() != null;
      AdminReply reply = reply(exchange);
      actions.answered(exchange, hasToken, reply, System.nanoTime() - startNanos);
      return reply;
    }

    private AdminReply reply(AdminExchange exchange) {
      try {
        return AdminServer.this.answer(exchange);
      } catch (AdminError e) {
        return AdminReply.error(e);
      } catch (IOException | RuntimeException e) {
        LOG.error("admin: {} {}", exchange.method(), exchange.path(), e);
        return AdminReply.error(500, "internal error, see the log", List.of(), 0);
      }
    }
  }

  private AdminReply answer(AdminExchange exchange) throws AdminError, IOException {
    String path = exchange.path();
    // Once more: the token may have changed while the body came.
    boolean isTrusted = check(exchange);
    String method = exchange.method();
    AdminRoutes.Match found = routes.find(path);
    if (found == null) {
      throw new AdminError(404, "no resource has this path");
    }
    // HEAD is answered as GET, without the body.
    String asked = method.equals("HEAD") ? "GET" : method;
    List<String> methods = found.route().methods();
    if (!methods.contains(asked)) {
      String allow = String.join(", ", methods) + (methods.contains("GET") ? ", HEAD" : "");
      exchange.answerFields().set("Allow", allow);
      throw new AdminError(405, "the method must be " + allow);
    }
    return found
        .route()
        .action()
        .reply(new AdminRoutes.Request(exchange, asked, isTrusted, found.parameters()));
  }

  private AdminRoutes table() {
    AdminRoutes routes =
        new AdminRoutes()
            .get("/healthz", request -> AdminReply.json(200, Json.object().put("status", "ok")))
            .get("/v1/health", request -> AdminReply.json(200, Json.object().put("status", "ok")))
            .get("/readyz", request -> ready(request.isTrusted()))
            .get("/v1/ready", request -> ready(request.isTrusted()))
            .get("/metrics", request -> metrics(request.exchange()))
            .get("/v1/openapi.json", request -> AdminDocument.reply())
            .get("/v1/stats", request -> AdminReply.json(200, stats.json()))
            .post("/v1/explain", request -> json(store.explain(body(request))))
            .add("/v1/warm", List.of("GET", "POST"), this::warm)
            .add("/v1/warm/{job}", List.of("GET", "DELETE"), this::warmJob);
    addPurges(routes);
    addConfiguration(routes);
    addStores(routes);
    addOrigins(routes);
    addCluster(routes);
    return routes;
  }

  private void addPurges(AdminRoutes routes) {
    routes
        .post(
            "/v1/purge",
            request -> {
              ObjectNode answer = purge.run(body(request), caller(request));
              return AdminReply.json(ClusterEndpoint.status(answer), answer);
            })
        .get("/v1/purges", request -> json(purge.latest()))
        .get("/v1/purges/{id}", request -> json(purge.status(request.number(0))))
        .post(
            "/v1/purges/{id}/undo",
            request ->
                undone(purge.undo(request.number(0), optionalBody(request), caller(request))))
        .get("/v1/purges/c-{id}", request -> json(cluster.receipt(request.number(0))))
        .post(
            "/v1/purges/c-{id}/undo",
            request ->
                undone(cluster.undo(request.number(0), optionalBody(request), caller(request))));
  }

  private void addConfiguration(AdminRoutes routes) {
    routes
        .get(
            "/v1/config",
            request ->
                new AdminReply(
                    200,
                    "application/json",
                    (ConfigView.json(node.config()) + "\n").getBytes(StandardCharsets.UTF_8)))
        .get("/v1/config/history", request -> json(config.history()))
        .get(
            "/v1/config/changes/{from}/{to}",
            request -> json(config.changes(request.number(0), request.number(1))))
        .post("/v1/config/rollback", request -> config.rollback(body(request), caller(request)))
        .post("/v1/logs/reopen", request -> json(logs.reopen()))
        .post("/v1/reload", request -> config.reload(request.exchange().body(), caller(request)));
  }

  private void addStores(AdminRoutes routes) {
    routes
        .get("/v1/stores", request -> json(stores.list()))
        .post(
            "/v1/stores/{name}",
            request -> json(stores.act(request.parameter(0), body(request), caller(request))))
        .get("/v1/store/objects", request -> json(store.objects(request.exchange().query())))
        .get("/v1/store/object", request -> json(store.object(request.exchange().query())))
        .get("/v1/store/hot", request -> json(store.hot(request.exchange().query())))
        .get("/v1/store/stat", request -> json(store.stat()))
        .get("/v1/store/map", request -> json(store.map()))
        .add("/v1/store/verify", List.of("GET", "POST", "DELETE"), this::verify);
  }

  private void addOrigins(AdminRoutes routes) {
    routes
        .get("/v1/origins", request -> json(origins.list()))
        .post("/v1/origins/drain", request -> json(origins.drain(body(request), caller(request))))
        .post(
            "/v1/origins/undrain",
            request -> json(origins.undrain(body(request), caller(request))));
  }

  private void addCluster(AdminRoutes routes) {
    routes
        .get("/v1/cluster", request -> json(cluster.state()))
        .post(
            "/v1/cluster/drain",
            request -> json(cluster.drain(body(request), true, caller(request))))
        .post(
            "/v1/cluster/undrain",
            request -> json(cluster.drain(body(request), false, caller(request))))
        .post("/v1/cluster/forget", request -> json(cluster.forget(body(request), caller(request))))
        .get("/v1/cluster/config", request -> json(fleet.state()))
        .get(
            "/v1/cluster/config/changes/{from}/{to}",
            request -> json(fleet.changes(request.number(0), request.number(1))))
        .post("/v1/cluster/config/parts", request -> json(fleet.part(request.exchange().body())))
        .post(
            "/v1/cluster/config/push", request -> json(fleet.push(body(request), caller(request))))
        .post(
            "/v1/cluster/config/promote",
            request -> json(fleet.promote(body(request), caller(request))))
        .post(
            "/v1/cluster/config/rollback",
            request -> json(fleet.rollback(body(request), caller(request))));
  }

  private static AdminReply json(ObjectNode answer) {
    return AdminReply.json(200, answer);
  }

  private static ObjectNode body(AdminRoutes.Request request) throws AdminError {
    return Json.object(request.exchange().body());
  }

  private static ObjectNode optionalBody(AdminRoutes.Request request) throws AdminError {
    return request.exchange().body().length == 0 ? Json.object() : body(request);
  }

  private static AdminReply undone(ObjectNode answer) {
    return AdminReply.json(ClusterEndpoint.status(answer), answer);
  }

  private static String caller(AdminRoutes.Request request) {
    return request.exchange().caller();
  }

  private AdminReply ready(boolean isTrusted) {
    List<NodeStatus.NotReady> reasons = node.notReady();
    ObjectNode ready = Json.object().put("ready", reasons.isEmpty());
    list(ready.putArray("reasons"), reasons, isTrusted);
    List<NodeStatus.NotReady> warnings = node.warnings();
    if (!warnings.isEmpty()) {
      list(ready.putArray("warnings"), warnings, isTrusted);
    }
    return AdminReply.json(reasons.isEmpty() ? 200 : 503, ready);
  }

  private static void list(ArrayNode list, List<NodeStatus.NotReady> reasons, boolean isTrusted) {
    for (NodeStatus.NotReady reason : reasons) {
      ObjectNode one = list.addObject().put("code", reason.code());
      // Details name hosts and files: not for those who only may probe.
      if (isTrusted) {
        one.put("detail", reason.detail());
      }
    }
  }

  private AdminReply warm(AdminRoutes.Request request) throws AdminError, IOException {
    AdminExchange exchange = request.exchange();
    if (request.method().equals("GET")) {
      return AdminReply.json(200, warm.list());
    }
    WarmRequest order = WarmRequest.parse(Json.object(exchange.body()));
    long id = warm.start(order);
    AUDIT.info(
        "warm started caller={} job={} urls={} sitemaps={}",
        exchange.caller(),
        id,
        order.urls().size(),
        order.sitemaps().size());
    exchange.answerFields().set("Location", "/v1/warm/" + id);
    return AdminReply.json(202, Json.object().put("job", id));
  }

  private AdminReply warmJob(AdminRoutes.Request request) throws AdminError {
    AdminExchange exchange = request.exchange();
    long id = request.number(0);
    WarmJob job = warm.job(id);
    if (request.method().equals("DELETE")) {
      job.cancel();
      AUDIT.info("warm cancelled caller={} job={}", exchange.caller(), id);
      return AdminReply.json(200, job.summary());
    }
    String query = exchange.query();
    long after = 0;
    if (query != null) {
      if (!query.matches("after=\\d{1,18}")) {
        throw new AdminError(400, "the query must be after=N");
      }
      after = Long.parseLong(query.substring(6));
    }
    return AdminReply.json(200, job.report(after));
  }

  private AdminReply verify(AdminRoutes.Request request) throws AdminError, IOException {
    return switch (request.method()) {
      case "POST" -> AdminReply.json(202, store.verify(body(request), caller(request)));
      case "DELETE" -> AdminReply.json(200, store.cancel(caller(request)));
      default -> AdminReply.json(200, store.verification());
    };
  }

  private AdminReply metrics(AdminExchange exchange) throws IOException {
    String accept = exchange.field("Accept");
    String type =
        accept != null && accept.contains("application/openmetrics-text")
            ? NodeMetrics.OPEN_METRICS
            : NodeMetrics.TEXT;
    ByteArrayOutputStream out = new ByteArrayOutputStream(32 << 10);
    metrics.scrape(out, type);
    return new AdminReply(200, type, out.toByteArray());
  }

  // Who may call.

  /** Whether the caller may see everything; probes are answered for anyone, but say less. */
  private boolean check(AdminExchange exchange) throws AdminError {
    boolean isProbe =
        switch (exchange.path()) {
          case "/healthz", "/readyz", "/v1/health", "/v1/ready" -> true;
          default -> false;
        };
    // Browsers send Origin with whatever a page could do harm by; tools do not.
    if (exchange.field("Origin") != null) {
      throw new AdminError(403, "requests from web pages are refused");
    }
    // A page's simple GET or form has no Origin in every browser, but says where it comes from.
    // Another port of this machine is the same site, and still another program.
    for (String site : exchange.fields("Sec-Fetch-Site")) {
      if (!site.equals("none") && !site.equals("same-origin")) {
        throw new AdminError(403, "requests from web pages are refused");
      }
    }
    String token = node.config().admin().token();
    boolean isTrusted = token == null || hasToken(exchange, token);
    if (!isTrusted && !isProbe) {
      exchange.answerFields().set("WWW-Authenticate", "Bearer");
      throw new AdminError(401, "a token is needed: Authorization: Bearer TOKEN");
    }
    // A page whose name was rebound to this machine sends its own name as Host. Where the address
    // is not loopback a token is always configured, which such a page does not have, and the names
    // by which others reach this machine are not known here.
    boolean isLocal = address.unixFile() != null || Loopback.isLoopback(address.host());
    if (isLocal && !isOwnHost(exchange)) {
      throw new AdminError(403, "the Host field must be a loopback address or name");
    }
    return isTrusted;
  }

  private boolean isOwnHost(AdminExchange exchange) {
    List<String> fields = exchange.fields("Host");
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

  private static boolean hasToken(AdminExchange exchange, String token) {
    String given = exchange.field("Authorization");
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
}
