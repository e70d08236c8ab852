package io.forebay.e2e.handover;

import io.forebay.testing.Http3Client;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * Clients that request one object after the other while a node is replaced. A connection that the
 * node has announced to close is replaced; whatever else ends one is a failure. Nothing is retried.
 */
final class HandoverLoad implements AutoCloseable {
  private static final String BODY_PREFIX = "object ";

  private final int port;
  private final int tlsPort;
  private final SSLContext tls;
  private final Path trusted;
  private final int objects;
  private final AtomicBoolean isOver = new AtomicBoolean();
  private final AtomicLong longestNanos = new AtomicLong();
  private final List<Thread> threads = new ArrayList<>();

  final AtomicLong requests = new AtomicLong();

  /** GET over HTTP/1.1, and those of them that the store answered. */
  final AtomicLong reads = new AtomicLong();

  final AtomicLong hits = new AtomicLong();

  /** HTTP/3 connections that ended while a request waited: their clients ask again by design. */
  final AtomicLong quicAgain = new AtomicLong();

  final Queue<String> failures = new ConcurrentLinkedQueue<>();

  private interface Client {
    void run() throws Exception;
  }

  HandoverLoad(int port, int tlsPort, SSLContext tls, Path trusted, int objects) {
    this.port = port;
    this.tlsPort = tlsPort;
    this.tls = tls;
    this.trusted = trusted;
    this.objects = objects;
  }

  HandoverLoad start() {
    add("new connections", this::newConnections);
    add("kept connections", () -> kept(false));
    add("TLS, new connections", this::newTlsConnections);
    add("TLS, kept connections", () -> kept(true));
    add("HTTP/2", this::http2);
    add("HTTP/3", this::http3);
    return this;
  }

  private void add(String name, Client client) {
    threads.add(
        Thread.ofPlatform()
            .name(name)
            .start(() -> {
              try {
                client.run();
              } catch (Exception | AssertionError e) {
                failures.add(name + ": " + e);
              }
            }));
  }

  private String path(long number) {
    return "/object-" + number % objects;
  }

  private void newConnections() throws Exception {
    for (long i = 0; !isOver.get(); i++) {
      long from = System.nanoTime();
      try (RawClient client = new RawClient(port)) {
        answered(client.get(path(i)), from);
      }
    }
  }

  private void newTlsConnections() throws Exception {
    for (long i = 0; !isOver.get(); i++) {
      long from = System.nanoTime();
      try (RawClient client = new RawClient(socket())) {
        answered(client.get(path(i)), from);
      }
    }
  }

  private SSLSocket socket() throws Exception {
    SSLSocket socket = (SSLSocket) tls.getSocketFactory().createSocket("127.0.0.1", tlsPort);
    socket.startHandshake();
    return socket;
  }

  private void kept(boolean isTls) throws Exception {
    RawClient client = isTls ? new RawClient(socket()) : new RawClient(port);
    try {
      for (long i = 0; !isOver.get(); i++) {
        long from = System.nanoTime();
        Response response = client.get(path(i));
        answered(response, from);
        if ("close".equals(response.field("connection"))) {
          client.close();
          client = isTls ? new RawClient(socket()) : new RawClient(port);
        }
      }
    } finally {
      client.close();
    }
  }

  /** POST, which the JDK's client does not send again by itself. */
  private void http2() throws Exception {
    try (HttpClient client =
        HttpClient.newBuilder().sslContext(tls).version(HttpClient.Version.HTTP_2).build()) {
      for (long i = 0; !isOver.get(); i++) {
        long from = System.nanoTime();
        HttpResponse<String> response =
            client.send(
                HttpRequest.newBuilder(URI.create("https://localhost:" + tlsPort + path(i)))
                    .timeout(Duration.ofSeconds(20))
                    .POST(HttpRequest.BodyPublishers.noBody())
                    .build(),
                HttpResponse.BodyHandlers.ofString());
        if (response.version() != HttpClient.Version.HTTP_2) {
          throw new AssertionError(response.version());
        }
        count(response.statusCode(), response.body(), from);
      }
    }
  }

  /** A QUIC connection ends with its process: the client opens another one. */
  private void http3() throws Exception {
    @Nullable Http3Client client = null;
    try {
      for (long i = 0; !isOver.get(); ) {
        if (client == null || client.goAwayAnnounced.isDone() || client.closed.isDone()) {
          if (client != null) {
            client.close();
          }
          client = http3Client();
        }
        long from = System.nanoTime();
        Http3Client.Answer answer = client.get(path(i));
        try {
          String end = answer.end.get(20, TimeUnit.SECONDS);
          if (!end.equals("end")) {
            throw new AssertionError(end);
          }
          count(Integer.parseInt(answer.status()), answer.body.toString(), from);
          i++;
        } catch (ExecutionException | TimeoutException | AssertionError e) {
          if (!client.closed.isDone() && !client.goAwayAnnounced.isDone()) {
            throw e;
          }
          // GOAWAY says that nothing was done with it (RFC 9114, section 5.2).
          quicAgain.incrementAndGet();
          client.close();
          client = null;
        }
      }
    } finally {
      if (client != null) {
        client.close();
      }
    }
  }

  /** A handshake whose packets meet the end of a process is begun again. */
  private Http3Client http3Client() throws Exception {
    for (int left = 10; ; left--) {
      try {
        return new Http3Client(tlsPort, trusted);
      } catch (Exception e) {
        if (left == 0) {
          throw e;
        }
        quicAgain.incrementAndGet();
      }
    }
  }

  private void answered(Response response, long from) {
    count(response.status(), response.text(), from);
    reads.incrementAndGet();
    if (response.isHit()) {
      hits.incrementAndGet();
    }
  }

  private void count(int status, String body, long from) {
    long took = System.nanoTime() - from;
    requests.incrementAndGet();
    if (status != 200 || !body.startsWith(BODY_PREFIX)) {
      failures.add(Thread.currentThread().getName() + ": " + status + " " + body);
    }
    longestNanos.accumulateAndGet(took, Math::max);
  }

  /** The longest that a request took since this was last asked. */
  void forgetLongest() {
    longestNanos.set(0);
  }

  double longestMillis() {
    return longestNanos.get() / 1e6;
  }

  static String body(String path) {
    return BODY_PREFIX + path;
  }

  @Override
  public void close() throws InterruptedException {
    isOver.set(true);
    for (Thread thread : threads) {
      thread.join();
    }
  }
}
