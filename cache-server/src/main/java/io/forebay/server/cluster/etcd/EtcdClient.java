package io.forebay.server.cluster.etcd;

import io.forebay.server.cluster.etcd.EtcdException.Kind;
import io.forebay.server.text.Printable;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Sends requests to etcd. If a member does not answer in time, or has no leader, the client sends
 * the request again to the next member. So callers only send requests that may take effect twice.
 * Any thread that may block.
 */
public final class EtcdClient implements AutoCloseable {
  /** Values of {@code google.rpc.Code} in the gateway's errors. */
  private static final int OUT_OF_RANGE = 11;

  private static final int UNAUTHENTICATED = 16;

  /** Part of a message, for errors whose code has several reasons. */
  private static final String OLD_TOKEN = "revision of auth store is old";

  private static final int MAX_TOKEN = 4096;
  private static final long ROUND_PAUSE_MILLIS = 50;

  private final EtcdSettings settings;
  private final HttpClient http;
  private final AtomicInteger current = new AtomicInteger();
  private volatile @Nullable String token;

  public EtcdClient(EtcdSettings settings) {
    this.settings = settings;
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(settings.timeout());
    if (settings.tls() != null) {
      builder.sslContext(settings.tls());
    }
    this.http = builder.build();
  }

  /** Sends a transaction; it may take effect twice when a member fails. */
  public TxnResult txn(Txn txn) throws EtcdException, InterruptedException {
    return result(call("/v3/kv/txn", txn.body()));
  }

  /** The same, and asks again while members elect a leader. */
  public TxnResult txnPatiently(Txn txn) throws EtcdException, InterruptedException {
    return result(call("/v3/kv/txn", txn.body(), settings.patience()));
  }

  private static TxnResult result(ObjectNode answer) throws EtcdException {
    List<List<KeyValue>> reads = new ArrayList<>();
    for (JsonNode response : answer.path("responses")) {
      if (response.has("response_range")) {
        reads.add(EtcdJson.keyValues(response.path("response_range")));
      }
    }
    return new TxnResult(
        answer.path("header").path("cluster_id").asString(""),
        EtcdJson.revision(answer),
        answer.path("succeeded").asBoolean(false),
        reads);
  }

  /** Reads a page of keys, linearizably where it is of the newest revision. */
  public RangeResult range(Range range) throws EtcdException, InterruptedException {
    return range(range, false);
  }

  /** The same without the values, which are empty. */
  public RangeResult names(Range range) throws EtcdException, InterruptedException {
    return range(range, true);
  }

  private RangeResult range(Range range, boolean areValuesLeftOut)
      throws EtcdException, InterruptedException {
    ObjectNode body =
        object()
            .put("key", EtcdJson.base64(range.from()))
            .put("range_end", EtcdJson.base64(EtcdJson.endOf(range.prefix())))
            .put("limit", Integer.toString(range.limit()));
    if (areValuesLeftOut) {
      body.put("keys_only", true);
    }
    if (range.revision() != 0) {
      body.put("revision", Long.toString(range.revision()));
    }
    if (range.minRevision() != 0) {
      body.put("min_mod_revision", Long.toString(range.minRevision()));
    }
    ObjectNode answer = call("/v3/kv/range", body);
    return new RangeResult(
        EtcdJson.revision(answer),
        EtcdJson.keyValues(answer),
        answer.path("more").asBoolean(false));
  }

  /** A new lease. */
  public long grant(long seconds) throws EtcdException, InterruptedException {
    long id =
        EtcdJson.number(call("/v3/lease/grant", object().put("TTL", Long.toString(seconds))), "ID");
    if (id == 0) {
      throw new EtcdException(Kind.UNAVAILABLE, "etcd granted a lease without a number");
    }
    return id;
  }

  /** Prolongs a lease to its full time; false where it has ended. */
  public boolean keepAlive(long lease) throws EtcdException, InterruptedException {
    ObjectNode answer = call("/v3/lease/keepalive", object().put("ID", Long.toString(lease)));
    return EtcdJson.number(answer.path("result"), "TTL") > 0;
  }

  /** Ends a lease; etcd deletes the keys that have it. */
  public void revoke(long lease) throws EtcdException, InterruptedException {
    ObjectNode ignored = call("/v3/lease/revoke", object().put("ID", Long.toString(lease)));
  }

  /**
   * Watches all keys with a prefix, from a revision on. The watch ends when the member loses its
   * leader.
   */
  public EtcdWatch watch(String prefix, long from) throws EtcdException, InterruptedException {
    ObjectNode body = object();
    body.putObject("create_request")
        .put("key", EtcdJson.base64(prefix))
        .put("range_end", EtcdJson.base64(EtcdJson.endOf(prefix)))
        .put("start_revision", Long.toString(from))
        .put("fragment", true);
    HttpResponse<InputStream> response =
        exchange(
            "/v3/watch", body, BodyHandlers.ofInputStream(), EtcdClient::errorOf, Duration.ZERO);
    return new EtcdWatch(response.body());
  }

  private static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  private ObjectNode call(String path, ObjectNode body) throws EtcdException, InterruptedException {
    return call(path, body, Duration.ZERO);
  }

  private ObjectNode call(String path, ObjectNode body, Duration patience)
      throws EtcdException, InterruptedException {
    HttpResponse<byte[]> response =
        exchange(
            path,
            body,
            BodyHandlers.limiting(BodyHandlers.ofByteArray(), EtcdJson.MAX_BYTES),
            bytes -> bytes,
            patience);
    return EtcdJson.object(response.body());
  }

  /** Reads the beginning of the body of an error. */
  private static byte[] errorOf(InputStream body) throws IOException {
    try (body) {
      return body.readNBytes(MAX_TOKEN);
    }
  }

  private interface ErrorReader<T> {
    byte[] read(T body) throws IOException;
  }

  private <T> HttpResponse<T> exchange(
      String path,
      ObjectNode body,
      BodyHandler<T> handler,
      ErrorReader<T> errors,
      Duration patience)
      throws EtcdException, InterruptedException {
    EtcdException last = new EtcdException(Kind.UNAVAILABLE, "etcd has no endpoint");
    boolean isTokenNew = false;
    long start = System.nanoTime();
    int count = settings.endpoints().size();
    for (int attempt = 0; isWorth(attempt, start, patience); attempt++) {
      if (attempt >= count) {
        TimeUnit.MILLISECONDS.sleep(ROUND_PAUSE_MILLIS);
      }
      int index = Math.floorMod(current.get(), count);
      URI endpoint = settings.endpoints().get(index);
      try {
        if (settings.user() != null && token == null) {
          token = authenticate(endpoint);
          isTokenNew = true;
        }
        HttpResponse<T> response = send(endpoint, path, body, handler);
        if (response.statusCode() == 200) {
          return response;
        }
        Failure failure = Failure.of(response.statusCode(), errors.read(response.body()));
        if (failure.isToken() && settings.user() != null && !isTokenNew) {
          token = null;
          attempt--;
          continue;
        }
        if (!failure.isOfMember()) {
          throw new EtcdException(
              failure.kind(), "etcd refused " + path + ": " + failure.message());
        }
        last = new EtcdException(Kind.UNAVAILABLE, endpoint + ": " + failure.message());
      } catch (IOException e) {
        last = new EtcdException(Kind.UNAVAILABLE, endpoint + ": " + text(e));
      }
      // Threads that fail at the same member at once all move to the same next member.
      boolean ignored = current.compareAndSet(index, (index + 1) % count);
    }
    throw last;
  }

  /** Tries each member once, then all again until the time is over. */
  private boolean isWorth(int attempt, long start, Duration patience) {
    return attempt < settings.endpoints().size() || System.nanoTime() - start < patience.toNanos();
  }

  private static String text(IOException e) {
    String message = e.getMessage();
    return Printable.json(
        message == null ? e.getClass().getSimpleName() : message.lines().findFirst().orElse(""));
  }

  private <T> HttpResponse<T> send(
      URI endpoint, String path, ObjectNode body, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(endpoint.resolve(path))
            .header("Content-Type", "application/json")
            // Has a member without a leader refuse the request, and end a watch.
            .header("Grpc-Metadata-hasleader", "true")
            .POST(HttpRequest.BodyPublishers.ofByteArray(EtcdJson.bytes(body)));
    String known = token;
    if (known != null) {
      request.header("Authorization", known);
    }
    CompletableFuture<HttpResponse<T>> answer = http.sendAsync(request.build(), handler);
    try {
      return answer.get(settings.timeout().toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new IOException("no answer within " + settings.timeout().toMillis() + " ms", e);
    } catch (ExecutionException e) {
      throw new IOException(
          e.getCause() instanceof IOException io ? io.getMessage() : String.valueOf(e.getCause()),
          e.getCause());
    } finally {
      boolean ignored = answer.cancel(true);
    }
  }

  private String authenticate(URI endpoint)
      throws EtcdException, IOException, InterruptedException {
    ObjectNode body = object().put("name", settings.user()).put("password", settings.password());
    HttpResponse<byte[]> response =
        send(
            endpoint,
            "/v3/auth/authenticate",
            body,
            BodyHandlers.limiting(BodyHandlers.ofByteArray(), EtcdJson.MAX_BYTES));
    if (response.statusCode() != 200) {
      Failure failure = Failure.of(response.statusCode(), response.body());
      if (failure.isOfMember()) {
        throw new IOException(failure.message());
      }
      throw new EtcdException(
          Kind.REFUSED, "etcd refused the user " + settings.user() + ": " + failure.message());
    }
    String given = EtcdJson.object(response.body()).path("token").asString("");
    if (!given.matches("[!-~]{1," + MAX_TOKEN + "}")) {
      throw new IOException("etcd gave no token");
    }
    return given;
  }

  /** Turns an error of the gateway into an exception. */
  private record Failure(int status, long code, String message) {

    static Failure of(int status, byte[] body) {
      try {
        ObjectNode error = EtcdJson.object(body);
        // In a stream the error is one level down.
        JsonNode inner = error.path("error").isObject() ? error.path("error") : error;
        String message =
            inner.path("message").asString(inner.path("error").asString("status " + status));
        return new Failure(
            status,
            inner.path("grpc_code").asLong(inner.path("code").asLong(-1)),
            Printable.json(message.length() > 300 ? message.substring(0, 300) : message));
      } catch (EtcdException e) {
        String text = new String(body, StandardCharsets.UTF_8).lines().findFirst().orElse("");
        return new Failure(
            status,
            -1,
            "status "
                + status
                + " "
                + Printable.json(text.length() > 300 ? text.substring(0, 300) : text));
      }
    }

    /** Whether another member may succeed. */
    boolean isOfMember() {
      return status >= 500;
    }

    /** Whether the token is missing, no longer known, or from before a change of the users. */
    boolean isToken() {
      return status == 401 || code == UNAUTHENTICATED || message.contains(OLD_TOKEN);
    }

    Kind kind() {
      return code == OUT_OF_RANGE ? Kind.COMPACTED : Kind.REFUSED;
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
