package io.forebay.cli.aot;

import io.forebay.cli.console.Certificate;
import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.EdgeProcess;
import io.forebay.cli.console.ExitCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;

/**
 * Runs an edge under typical requests while its JVM records which classes it loads. The clients run
 * in this process, so their classes are not recorded.
 */
final class Training {
  /** Writing the cache takes a second JVM some seconds, on a busy machine more. */
  private static final int STOP_SECONDS = 300;

  private final List<String> serveArguments;
  private final Path log;
  private final int port;
  private final int tlsPort;

  /**
   * A run to come.
   *
   * @param serveArguments what {@code serve} gets beside origin and listeners
   */
  public Training(List<String> serveArguments, Path log, int port, int tlsPort) {
    this.serveArguments = List.copyOf(serveArguments);
    this.log = log;
    this.port = port;
    this.tlsPort = tlsPort;
  }

  /**
   * Runs an edge that long, with the options by which its JVM takes notes, and stops it in order.
   */
  public void run(List<String> javaOptions, Certificate certificate, int seconds)
      throws IOException, InterruptedException {
    try (TrainingOrigin origin = new TrainingOrigin()) {
      List<String> arguments = new ArrayList<>(serveArguments);
      arguments.addAll(List.of("--origin", origin.url()));
      arguments.addAll(List.of("--listen", "127.0.0.1:" + port));
      arguments.addAll(List.of("--listen-tls", "127.0.0.1:" + tlsPort));
      arguments.addAll(List.of("--cert", certificate.chain().toString()));
      arguments.addAll(List.of("--key", certificate.key().toString()));
      EdgeProcess edge = EdgeProcess.start(javaOptions, arguments, log);
      boolean isStopped = false;
      try {
        ask(certificate.context(), seconds);
        isStopped = edge.stop(STOP_SECONDS);
      } finally {
        if (!isStopped) {
          edge.kill();
        }
      }
      if (!isStopped) {
        throw new CommandException(ExitCode.FAILURE, "the edge did not stop; its log: " + log);
      }
    }
  }

  private void ask(SSLContext tls, int seconds) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    List<Callable<Void>> clients =
        List.of(
            () -> plain("a", new Socket(InetAddress.getLoopbackAddress(), port), end),
            () -> plain("b", new Socket(InetAddress.getLoopbackAddress(), port), end),
            () ->
                plain(
                    "c",
                    tls.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), tlsPort),
                    end),
            () -> streams(tls, end));
    try (ExecutorService threads = Executors.newFixedThreadPool(clients.size())) {
      for (Future<Void> done : threads.invokeAll(clients)) {
        done.get();
      }
    } catch (ExecutionException failed) {
      throw new CommandException(
          ExitCode.FAILURE,
          "a training client failed: " + failed.getCause() + "; the edge's log: " + log,
          failed);
    }
  }

  private static Void plain(String name, Socket socket, long end) throws IOException {
    socket.setTcpNoDelay(true);
    try (TrainingClient client = new TrainingClient(socket, name)) {
      while (System.nanoTime() < end) {
        client.ask();
      }
    }
    return null;
  }

  /** HTTP/2 over TLS. */
  private Void streams(SSLContext tls, long end) throws Exception {
    try (HttpClient client =
        HttpClient.newBuilder().sslContext(tls).version(HttpClient.Version.HTTP_2).build()) {
      for (int i = 0; System.nanoTime() < end; i++) {
        int size = i % 50 == 49 ? 1 << 20 : 1024;
        URI url = URI.create("https://localhost:" + tlsPort + "/" + size + "/" + i % 20);
        int status =
            client
                .send(HttpRequest.newBuilder(url).build(), HttpResponse.BodyHandlers.discarding())
                .statusCode();
        if (status != 200) {
          throw new IOException("the edge answered " + status + " to " + url);
        }
      }
    }
    return null;
  }
}
