package io.forebay.lab.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.forebay.lab.scenario.ObjectRow;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Caches are filled with every object once. */
final class HttpWarmerTest {
  private static final ObjectRow SMALL = new ObjectRow("small", 5, 1, 40, "/o/{bytes}/s-{n}");
  private static final ObjectRow LARGE = new ObjectRow("large", 9, 1, 3, "/ch{n}/{bytes}");

  private final ConcurrentSkipListMap<String, Integer> asked = new ConcurrentSkipListMap<>();
  private HttpServer server;
  private volatile String failing = "";

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext(
        "/",
        exchange -> {
          String path = exchange.getRequestURI().getPath();
          asked.merge(path, 1, Integer::sum);
          exchange.sendResponseHeaders(path.equals(failing) ? 503 : 200, -1);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private List<URI> servers(int count) {
    return Collections.nCopies(
        count, URI.create("http://127.0.0.1:" + server.getAddress().getPort()));
  }

  @Test
  void everyFileIsAskedForOnceOfEachServer() throws Exception {
    new HttpWarmer().warm(servers(2), List.of(SMALL, LARGE), null);

    assertEquals(43, asked.size());
    assertTrue(asked.values().stream().allMatch(count -> count == 2), asked::toString);
    assertTrue(asked.containsKey("/o/5/s-39"), asked::toString);
    assertTrue(asked.containsKey("/ch2/9"), asked::toString);
  }

  @Test
  void aRequestThatFailsEndsTheFilling() {
    failing = "/ch1/9";

    IOException failed =
        assertThrows(
            IOException.class,
            () -> new HttpWarmer().warm(servers(1), List.of(LARGE, SMALL), null));

    assertTrue(
        String.valueOf(failed.getMessage()).endsWith("/ch1/9 answers 503"), failed.getMessage());
  }
}
