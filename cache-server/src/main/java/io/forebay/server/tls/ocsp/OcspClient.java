package io.forebay.server.tls.ocsp;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Queries OCSP responders over HTTP (RFC 6960 appendix A), with limits of time and size. */
public class OcspClient implements AutoCloseable {
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final int MAX_ANSWER_BYTES = 64 * 1024;

  private final Duration patience;

  /** Made for the first question, by the thread that asks: most nodes have none. */
  private @Nullable HttpClient client;

  private boolean isClosed;

  public OcspClient() {
    this(Duration.ofSeconds(10));
  }

  /**
   * A client.
   *
   * @param patience for a whole answer, from the first word of the question to its last byte
   */
  OcspClient(Duration patience) {
    this.patience = patience;
  }

  public byte[] ask(URI responder, byte[] request) throws IOException, InterruptedException {
    HttpRequest post =
        HttpRequest.newBuilder(responder)
            .header("Content-Type", "application/ocsp-request")
            .header("Accept", "application/ocsp-response")
            .POST(HttpRequest.BodyPublishers.ofByteArray(request))
            .build();
    CompletableFuture<HttpResponse<byte[]>> asked =
        client()
            .sendAsync(post, BodyHandlers.limiting(BodyHandlers.ofByteArray(), MAX_ANSWER_BYTES));
    HttpResponse<byte[]> response;
    try {
      // Of the client's own timeout the body is no part.
      response = asked.get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new IOException("no complete response within " + patience.toMillis() + " ms", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException failed ? failed : new IOException(e.getCause());
    } finally {
      // What is done already does not mind.
      asked.cancel(true);
    }
    if (response.statusCode() != 200) {
      throw new IOException("status " + response.statusCode());
    }
    return response.body();
  }

  private synchronized HttpClient client() throws IOException {
    if (isClosed) {
      throw new IOException("this node is stopping");
    }
    HttpClient current = client;
    if (current == null) {
      current =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .connectTimeout(CONNECT)
              .followRedirects(HttpClient.Redirect.NEVER)
              .build();
      client = current;
    }
    return current;
  }

  /** Ends questions under way. */
  @Override
  public synchronized void close() {
    isClosed = true;
    HttpClient current = client;
    if (current != null) {
      current.shutdownNow();
    }
  }
}
