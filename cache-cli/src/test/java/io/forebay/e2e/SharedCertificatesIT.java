package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.forebay.testing.Await;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.OpensslClient;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.Pebble;
import io.forebay.testing.Ports;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nodes of a cluster that order certificates together, behind a balancer, with Pebble and etcd. */
@Timeout(300)
@Tag("full")
final class SharedCertificatesIT {
  private static final String HOST = "www.shop.example";
  private static final Pattern CERTIFICATE =
      Pattern.compile("-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----");

  @TempDir Path directory;
  private PathOrigin origin;

  /** What the authority reaches, which asks one node after the other. */
  private HttpServer balancer;

  private final List<EdgeProcess> behind = new CopyOnWriteArrayList<>();
  private final AtomicInteger turn = new AtomicInteger();

  @BeforeEach
  void start() throws Exception {
    if (!Pebble.isInstalled()) {
      String why = "pebble is missing: .ci/run builds it into .tools";
      if ("true".equals(System.getenv("CI"))) {
        Assertions.fail(why);
      }
      Assumptions.abort(why);
    }
    origin = PathOrigin.start();
    origin.otherwise(exchange -> exchange.respond(200, "Cache-Control: max-age=60\r\n", "ok"));
    balancer = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    balancer.createContext("/", this::forward);
    balancer.start();
  }

  @AfterEach
  void stop() throws Exception {
    for (EdgeProcess edge : behind) {
      edge.close();
    }
    balancer.stop(0);
    origin.close();
  }

  private void forward(HttpExchange exchange) throws IOException {
    int status = 503;
    byte[] body = new byte[0];
    List<EdgeProcess> nodes = behind.stream().filter(EdgeProcess::isAlive).toList();
    if (!nodes.isEmpty()) {
      EdgeProcess node = nodes.get(turn.getAndIncrement() % nodes.size());
      Response answer = node.get(exchange.getRequestURI().getPath());
      status = answer.status();
      body = answer.body();
    }
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private Pebble authority(int lifetimeSeconds) throws Exception {
    return Pebble.start(
        directory.resolve("pebble"),
        balancer.getAddress().getPort(),
        Ports.free(),
        0,
        ", \"profiles\": {\"default\": {\"description\": \"\", \"validityPeriod\": "
            + lifetimeSeconds
            + "}}");
  }

  private static EdgeProcess.Settings settings(
      ClusterEdges cluster, Pebble authority, String name, int tlsPort) throws Exception {
    return cluster.settings(
        name,
        name,
        """
        tls:
          listen: "127.0.0.1:%d"
          acme:
            hosts: [%s]
            directory: %s
            ca-file: %s
            agree-to-terms: true
            challenges: http-01
            renew-at: 90%%
            renewal-info: false
        """
            .formatted(tlsPort, HOST, authority.directory(), authority.tlsRoot()));
  }

  /** The certificate that a handshake shows; "" for none. */
  private static String shown(int tlsPort) throws Exception {
    Matcher found = CERTIFICATE.matcher(OpensslClient.run(tlsPort, "-servername", HOST));
    return found.find() ? found.group() : "";
  }

  private static double orders(EdgeProcess edge) throws Exception {
    return edge.metrics().sum("forebay_acme_orders_total");
  }

  private static double unconfirmed(EdgeProcess edge) throws Exception {
    return edge.metrics().sum("forebay_acme_unconfirmed_validations_total");
  }

  @Test
  void oneOrderServesAllNodesAndAnotherNodeRenews() throws Exception {
    int firstTls = Ports.free();
    int secondTls = Ports.free();
    // Due after 2 to 20 s, but by one process not before an hour.
    try (ClusterEdges cluster = ClusterEdges.start(directory, origin.url(), 1, 0);
        Pebble authority = authority(200)) {
      EdgeProcess first = settings(cluster, authority, "edge-1", firstTls).start();
      behind.add(first);
      EdgeProcess second = settings(cluster, authority, "edge-2", secondTls).start();
      behind.add(second);
      Await.until(
          "both nodes serve one certificate",
          () -> !shown(firstTls).isEmpty() && shown(firstTls).equals(shown(secondTls)));
      assertEquals(1, authority.orders(), authority.log());
      assertEquals(1, orders(first) + orders(second));
      assertEquals(0, unconfirmed(first) + unconfirmed(second));
      String before = shown(firstTls);

      // The one that ordered dies. The other one renews.
      boolean isFirst = orders(first) == 1;
      EdgeProcess ordered = isFirst ? first : second;
      EdgeProcess other = isFirst ? second : first;
      int orderedTls = isFirst ? firstTls : secondTls;
      int otherTls = isFirst ? secondTls : firstTls;
      assertEquals(1, shared(other, "taken"));
      ordered.kill();
      assertEquals(0, other.terminate());
      assertTrue(other.restart().isAlive());
      Await.until("a renewal", () -> !shown(otherTls).equals(before));
      assertEquals(2, authority.orders(), authority.log());
      assertEquals(1, orders(other));

      // The one that died comes back, and has not to order.
      assertTrue(ordered.restart().isAlive());
      String after = shown(otherTls);
      assertNotEquals(before, after);
      Await.until("the renewed certificate", () -> shown(orderedTls).equals(after));
      assertEquals(0, orders(ordered));
      assertEquals(2, authority.orders(), authority.log());

      // Without etcd a node starts with the last good one.
      cluster.etcd().kill(0);
      ordered.kill();
      assertTrue(ordered.restartUnready().isAlive());
      Await.until("the last good certificate", () -> shown(orderedTls).equals(after));
    }
  }

  @Test
  void theOrderOfANodeThatDiesIsTakenOver() throws Exception {
    int firstTls = Ports.free();
    int secondTls = Ports.free();
    try (ClusterEdges cluster = ClusterEdges.start(directory, origin.url(), 1, 0);
        Pebble authority = authority(86_400);
        EdgeProcess first = settings(cluster, authority, "edge-1", firstTls).start()) {
      // The balancer has no node yet.
      Await.until(
          "the order fails",
          () -> first.metrics().sum("forebay_acme_failures_total", "cause=\"validation\"") == 1);
      EdgeProcess second = settings(cluster, authority, "edge-2", secondTls).start();
      behind.add(second);
      assertEquals(1, authority.orders(), "the first node has the order: " + authority.log());
      first.kill();
      Await.until("a certificate", () -> !shown(secondTls).isEmpty());
      assertEquals(1, orders(second));
      assertEquals(2, authority.orders(), authority.log());
      assertEquals(0, second.metrics().sum("forebay_acme_failures_total"));
      assertEquals(0, unconfirmed(second), "nobody waits for a node that is dead");
    }
  }

  @Test
  void aNodeWithAnotherSecretSaysWhatToDoAndOrdersForItself() throws Exception {
    int firstTls = Ports.free();
    int secondTls = Ports.free();
    Path other = directory.resolve("secret-edge-2");
    ClusterEdges.writeSecret(other);
    Files.setPosixFilePermissions(other, PosixFilePermissions.fromString("rw-r--r--"));
    try (ClusterEdges cluster = ClusterEdges.start(directory, origin.url(), 1, 0);
        Pebble authority = authority(86_400)) {
      EdgeProcess first = settings(cluster, authority, "edge-1", firstTls).start();
      behind.add(first);
      Await.until("a certificate", () -> !shown(firstTls).isEmpty());
      String before = shown(firstTls);
      Await.until("it is published", () -> shared(first, "published") == 1);

      EdgeProcess second = settings(cluster, authority, "edge-2", secondTls).start();
      behind.add(second);
      Await.until("a certificate of its own", () -> !shown(secondTls).isEmpty());
      Await.until("the first one refuses that", () -> shared(first, "refused") == 1);
      assertNotEquals(before, shown(secondTls));
      assertEquals(before, shown(firstTls));
      assertEquals(2, authority.orders(), authority.log());
      assertEquals(1, shared(second, "refused"));
      assertEquals(0, shared(first, "taken") + shared(second, "taken"));
      for (EdgeProcess edge : behind) {
        String log = edge.errText();
        assertTrue(log.contains("that node has another cluster.secret-file"), log);
        assertTrue(log.contains("give all nodes the same file and restart them"), log);
        assertFalse(log.contains("PRIVATE KEY"), log);
      }

      String open = other + " can be read by every user of this machine";
      assertTrue(second.errText().contains(open), second.errText());
      assertFalse(first.errText().contains("every user"), first.errText());

      // The operator does so.
      Files.copy(directory.resolve("secret"), other, StandardCopyOption.REPLACE_EXISTING);
      assertEquals(0, second.terminate());
      assertTrue(second.restart().isAlive());
      Await.until("all have one certificate", () -> shown(firstTls).equals(shown(secondTls)));
      assertEquals(2, authority.orders(), authority.log());
    }
  }

  private static double shared(EdgeProcess edge, String outcome) throws Exception {
    return edge.metrics()
        .sum("forebay_acme_shared_certificates_total", "outcome=\"" + outcome + "\"");
  }
}
