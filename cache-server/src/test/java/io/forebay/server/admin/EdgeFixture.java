package io.forebay.server.admin;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.forebay.server.node.NodeStatus.Listening;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A listener of a node as warming uses it: scripted bodies, and a record of requests. Unlike {@code
 * PathOrigin} it tells hosts apart and holds answers back until many requests have come.
 */
public final class EdgeFixture implements AutoCloseable {
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, byte[]> bodies = new ConcurrentHashMap<>();
  private final Map<String, Integer> statuses = new ConcurrentHashMap<>();
  private final Set<String> stored = ConcurrentHashMap.newKeySet();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicInteger mostInFlight = new AtomicInteger();
  private volatile @Nullable CountDownLatch gate;
  private volatile CountDownLatch arrived = new CountDownLatch(1);

  public EdgeFixture() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  /** A body for {@code host/path}; what has none is answered with 404. */
  public EdgeFixture has(String hostAndTarget, byte[] body) {
    bodies.put(hostAndTarget, body);
    return this;
  }

  public EdgeFixture has(String hostAndTarget, String body) {
    return has(hostAndTarget, body.getBytes(StandardCharsets.UTF_8));
  }

  public EdgeFixture fails(String hostAndTarget, int status) {
    statuses.put(hostAndTarget, status);
    return this;
  }

  /**
   * Holds every answer back until {@link #release}; {@code count} requests end {@link #arrived}.
   */
  public void holdBack(int count) {
    arrived = new CountDownLatch(count);
    gate = new CountDownLatch(1);
  }

  public void release() {
    CountDownLatch held = gate;
    gate = null;
    if (held != null) {
      held.countDown();
    }
  }

  public void awaitArrivals() throws InterruptedException {
    arrived.await();
  }

  public Listening listening() {
    return new Listening("http", "http", "127.0.0.1", server.getAddress().getPort(), true);
  }

  /** {@code host/target} of each request, in order of arrival. */
  public List<String> requests() {
    return List.copyOf(requests);
  }

  public int mostInFlight() {
    return mostInFlight.get();
  }

  private void handle(HttpExchange exchange) throws IOException {
    String key = exchange.getRequestHeaders().getFirst("Host") + exchange.getRequestURI();
    requests.add(key);
    mostInFlight.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
    arrived.countDown();
    CountDownLatch held = gate;
    try (exchange) {
      if (held != null) {
        held.await();
      }
      byte[] body = bodies.get(key);
      int status = statuses.getOrDefault(key, body == null ? 404 : 200);
      exchange
          .getResponseHeaders()
          .set(
              "Cache-Status",
              "\"origin, far\"; fwd=stale, edge-test; "
                  + (stored.add(key) ? "fwd=uri-miss; stored" : "hit; ttl=5"));
      inFlight.decrementAndGet();
      if (body == null || body.length == 0) {
        exchange.sendResponseHeaders(status, -1);
      } else {
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    release();
    server.stop(0);
    threads.shutdownNow();
  }
}
