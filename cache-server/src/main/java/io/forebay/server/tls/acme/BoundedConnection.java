package io.forebay.server.tls.acme;

import java.io.IOException;
import java.net.URL;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.shredzone.acme4j.Session;
import org.shredzone.acme4j.connector.DefaultConnection;
import org.shredzone.acme4j.connector.HttpConnector;

/**
 * acme4j's connection with bounds: an answer has to be complete within its time and its size. The
 * library itself bounds the time to the head only.
 */
final class BoundedConnection extends DefaultConnection {
  static final int MAX_BODY_BYTES = 1 << 20;

  private final LastAnswer last;
  private final long limitMillis;
  private final boolean requiresTls;

  BoundedConnection(
      HttpConnector connector, LastAnswer last, long limitMillis, boolean requiresTls) {
    super(connector);
    this.last = last;
    this.limitMillis = limitMillis;
    this.requiresTls = requiresTls;
  }

  @Override
  protected void sendRequest(Session session, URL url, Consumer<HttpRequest.Builder> body)
      throws IOException {
    last.clear();
    if (requiresTls && !url.getProtocol().equals("https")) {
      throw new IOException("the directory leads to " + url + ", which is not over https");
    }
    HttpRequest.Builder builder;
    try {
      builder = httpConnector.createRequestBuilder(url);
    } catch (IllegalArgumentException e) {
      throw new IOException("the directory leads to a URL that cannot be requested", e);
    }
    builder.header("Accept-Language", session.getLanguageHeader());
    body.accept(builder);
    CompletableFuture<HttpResponse<byte[]>> answer =
        httpClient.sendAsync(
            builder.build(), BodyHandlers.limiting(BodyHandlers.ofByteArray(), MAX_BODY_BYTES));
    try {
      HttpResponse<byte[]> whole = answer.get(limitMillis, TimeUnit.MILLISECONDS);
      last.set(whole);
      if (whole.headers().firstValue("Content-Encoding").isPresent()) {
        throw new IOException("the answer is compressed, though that was not asked for");
      }
      lastResponse = new BufferedResponse(whole);
    } catch (TimeoutException e) {
      answer.cancel(true);
      throw new IOException("no complete answer within " + limitMillis / 1000 + "s", e);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      throw cause instanceof IOException failure ? failure : new IOException(cause);
    } catch (InterruptedException e) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
