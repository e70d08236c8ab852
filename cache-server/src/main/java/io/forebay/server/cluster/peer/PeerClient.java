package io.forebay.server.cluster.peer;

import io.forebay.server.cluster.member.Member;
import io.forebay.server.cluster.purge.PositionClient;
import io.forebay.server.json.AdminError;
import io.forebay.server.json.InputProblems;
import io.forebay.server.json.Json;
import io.forebay.server.text.Printable;
import io.forebay.storage.purge.PurgePosition;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Sends requests to the endpoints of other nodes. Any thread that may block. */
public final class PeerClient implements PositionClient, AutoCloseable {
  private static final int MAX_ANSWER = 64 << 10;
  private static final int MAX_TEXT = 300;
  private static final int MAX_PORT = 65_535;
  private static final long GRACE_MILLIS = 2_000;

  private final String cluster;
  private final HttpClient http;

  public PeerClient(String cluster, NodeCredentials credentials) throws IOException {
    this.cluster = cluster;
    this.http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(Duration.ofSeconds(1))
            .sslContext(
                ClusterTls.toNodes(credentials.cas(), credentials.chain(), credentials.key()))
            .build();
  }

  @Override
  public @Nullable PurgePosition ask(Member member, long atLeast, String epoch, long waitMillis)
      throws IOException, InterruptedException {
    ObjectNode json =
        get(
            member,
            PositionEndpoint.PATH
                + "?at-least="
                + atLeast
                + "&epoch="
                + epoch
                + "&wait="
                + waitMillis,
            waitMillis);
    String text = Json.text(json, "position", MAX_TEXT, new InputProblems());
    return text == null ? null : PurgePosition.parse(text);
  }

  /**
   * The answer of a node.
   *
   * @param target path and query
   * @param waitMillis how long the node may take to answer
   * @throws IOException when it does not answer, or its certificate is another node's
   */
  public ObjectNode get(Member member, String target, long waitMillis)
      throws IOException, InterruptedException {
    CompletableFuture<HttpResponse<byte[]>> answer =
        http.sendAsync(
            HttpRequest.newBuilder(uri(member, target)).build(),
            BodyHandlers.limiting(BodyHandlers.ofByteArray(), MAX_ANSWER));
    try {
      return json(member, answer.get(waitMillis + GRACE_MILLIS, TimeUnit.MILLISECONDS));
    } catch (TimeoutException e) {
      throw new IOException("does not answer", e);
    } catch (ExecutionException e) {
      String why = e.getCause() == null ? null : e.getCause().getMessage();
      throw new IOException(
          "cannot be asked" + (why == null ? "" : ": " + Printable.json(why)), e.getCause());
    } finally {
      boolean ignored = answer.cancel(true);
    }
  }

  /** The address is what etcd has, or nothing where that cannot be read. */
  private static URI uri(Member member, String target) throws IOException {
    try {
      URI uri = URI.create("https://" + member.address() + target);
      if (uri.getHost() != null
          && uri.getRawUserInfo() == null
          && uri.getPort() > 0
          && uri.getPort() <= MAX_PORT
          && uri.toString().endsWith(uri.getPort() + target)) {
        return uri;
      }
    } catch (IllegalArgumentException e) {
      // Said below, as for any other text that is no address.
    }
    throw new IOException("has no address in etcd that can be used");
  }

  private ObjectNode json(Member member, HttpResponse<byte[]> answer) throws IOException {
    if (!PeerName.nodes(cluster, certificates(answer)).contains(member.name())) {
      throw new IOException("has a certificate for another node");
    }
    if (answer.statusCode() != 200) {
      throw new IOException("answers " + answer.statusCode());
    }
    try {
      return Json.object(answer.body());
    } catch (AdminError e) {
      throw new IOException("answers no JSON", e);
    }
  }

  private static Certificate[] certificates(HttpResponse<?> answer) throws IOException {
    try {
      return answer.sslSession().isPresent()
          ? answer.sslSession().get().getPeerCertificates()
          : new Certificate[0];
    } catch (SSLPeerUnverifiedException e) {
      return new Certificate[0];
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
