package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.http.WireRequest;
import io.forebay.server.config.ConfigEnvironment;
import io.forebay.server.config.ConfigLoader;
import io.forebay.server.config.ConfigOutcome;
import io.forebay.server.exchange.ExchangeContext;
import io.forebay.server.exchange.ExchangeFactory;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.http.RequestBody;
import io.forebay.server.http.ResponseSink;
import io.forebay.server.runtime.RuntimeConfig;
import io.forebay.testing.Bytes;
import io.forebay.testing.RawClient;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An internal error while the head of a stored object is written leaves nothing pinned. */
@Tag("slow")
final class ServerBrokenHeadTest {

  private static final int SLICE = 64 << 10;
  private static final ClientInfo CLIENT =
      new ClientInfo("127.0.0.1", 1, "HTTP/1.1", "plain", false, null, 0);

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();

  @SuppressWarnings("NullAway.Init")
  private Edge edge;

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  /** The protocol's side, of which one method fails. */
  private static ResponseSink failing(
      String method, AtomicReference<ResponseSink.Listener> listener) {
    return (ResponseSink)
        Proxy.newProxyInstance(
            ResponseSink.class.getClassLoader(),
            new Class<?>[] {ResponseSink.class},
            (proxy, called, arguments) -> {
              if (called.getName().equals(method)) {
                throw new IllegalStateException("a defect in " + method);
              }
              return switch (called.getName()) {
                case "beginHead" -> Unpooled.buffer();
                case "chunkBytes" -> SLICE;
                case "isWritable" -> true;
                case "needsTunnel" -> false;
                case "listener" -> {
                  listener.set((ResponseSink.Listener) arguments[0]);
                  yield null;
                }
                default -> throw new AssertionError("not before the head: " + called);
              };
            });
  }

  private RuntimeConfig snapshot() {
    ConfigOutcome outcome =
        new ConfigLoader(ConfigEnvironment.system())
            .load(directory.resolve("forebay.yaml"), Map.of());
    return RuntimeConfig.of(((ConfigOutcome.Loaded) outcome).config());
  }

  @ParameterizedTest
  @CsvSource({
    "GET, 1000, etag, beginHead",
    "GET, 1000, etag, head",
    "HEAD, 1000, etag, head",
    "GET, 50000, etag, head",
    "GET, 700000, etag, beginHead",
    "GET, 700000, etag, head",
    "GET, 700000, x-none, beginHead",
    "GET, 700000, x-none, head"
  })
  void nothingStaysPinned(String method, int length, String validator, String failing)
      throws Exception {
    edge = Edge.before(origin, directory);
    byte[] body = Edge.bytes(1, length);
    origin.on(
        "/a", TestOrigin.ok("cache-control: max-age=1000\r\n" + validator + ": \"1\"\r\n", body));
    try (RawClient client = edge.connect()) {
      Bytes.assertEquals(body, client.get("/a").body());
    }
    edge.awaitIdle();
    ExchangeContext loop = edge.server().loops().getFirst();
    AtomicReference<ResponseSink.Listener> listener = new AtomicReference<>();
    ExchangeFactory exchanges = new ExchangeFactory(loop, this::snapshot);
    loop.eventLoop()
        .submit(() -> {
          IllegalStateException defect =
              assertThrows(
                  IllegalStateException.class,
                  () ->
                      exchanges.start(
                          SyntheticRequest.of(method, edge.url("/a")),
                          RequestBody.NONE,
                          failing(failing, listener),
                          CLIENT));
          assertEquals("a defect in " + failing, defect.getMessage());
          // As a connection does after a defect.
          Objects.requireNonNull(listener.get()).onClosed();
        })
        .get(60, TimeUnit.SECONDS);
    assertEquals(0, edge.server().store().pins());
  }

  @ParameterizedTest
  @ValueSource(strings = {"beginHead", "head"})
  void nothingStaysPinnedInTheFastLane(String failing) throws Exception {
    // So that the loop has served it a moment ago.
    nothingStaysPinned("GET", 1000, "etag", "head");
    ExchangeContext loop = edge.server().loops().getFirst();
    ExchangeFactory exchanges = new ExchangeFactory(loop, this::snapshot);
    byte[] head =
        TestOrigin.ascii("GET /a HTTP/1.1\r\nHost: 127.0.0.1:" + edge.port() + "\r\n\r\n");
    WireRequest request = new WireRequest("http");
    assertEquals(head.length, request.read(head, 0, head.length, 8192, 100));
    loop.eventLoop()
        .submit(() ->
            assertThrows(
                IllegalStateException.class,
                () ->
                    exchanges.answerAtOnce(
                        request, failing(failing, new AtomicReference<>()), CLIENT)))
        .get(60, TimeUnit.SECONDS);
    assertEquals(0, edge.server().store().pins());
  }
}
