package io.forebay.benchmarks.attack;

import io.forebay.testing.Metrics;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;

/** A node that somebody else has started, by its metrics. */
final class WatchedNode {
  private static final String REFUSED = "forebay_requests_refused_total";
  private static final String CONNECTIONS_REFUSED = "forebay_connections_refused_total";
  private static final String LIMITS_EXCEEDED = "forebay_limits_exceeded_total";

  private final HttpClient http = HttpClient.newHttpClient();
  private final URI metrics;
  private final Path tokenFile;

  /**
   * One on loopback.
   *
   * @param tokenFile whose first line is the token of the admin API
   */
  WatchedNode(int adminPort, Path tokenFile) {
    this.metrics = URI.create("http://127.0.0.1:" + adminPort + "/metrics");
    this.tokenFile = tokenFile;
  }

  /**
   * What it counted.
   *
   * @param refused requests, connections, and whatever else exceeded a limit
   * @param mebibytes of the heap in use and of network buffers
   */
  record Figures(long refused, long mebibytes) {}

  Figures figures() throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(metrics)
            .header("Authorization", "Bearer " + Files.readString(tokenFile).strip())
            .build();
    HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
    if (response.statusCode() != 200) {
      throw new IOException(metrics + " was answered with " + response.statusCode());
    }
    Metrics now = Metrics.parse(response.body());
    double refused = now.sum(REFUSED) + now.sum(CONNECTIONS_REFUSED) + now.sum(LIMITS_EXCEEDED);
    double bytes =
        now.sum("jvm_memory_used_bytes", "area=\"heap\"")
            + now.sum("forebay_netty_direct_memory_bytes");
    return new Figures((long) refused, (long) bytes >> 20);
  }
}
