package io.forebay.server.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.config.OriginTimeouts;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.OriginSender;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.origin.call.OriginListener;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.server.origin.call.PeerQuestion;
import io.forebay.server.origin.group.Origins;
import io.forebay.storage.purge.PurgePosition;
import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class PeerCallTest {
  private final EmbeddedChannel time = new EmbeddedChannel();
  private final Recorder origins = new Recorder();
  private final Recorder nodes = new Recorder();
  private final PeerDirectory directory =
      new PeerDirectory(
          "test",
          "a",
          0,
          () -> new PurgePosition(1, 2, 3),
          () -> null,
          true,
          nanoTime -> false,
          position -> true);

  @BeforeEach
  void prepare() {
    time.freezeTime();
    present("a", "b", "c");
  }

  @AfterEach
  void stop() {
    time.finishAndReleaseAll();
  }

  private void present(String... names) {
    directory.update(
        new Peers(
            Stream.of("a", "b", "c")
                .map(name -> new Peers.Node(name, 1, 100, List.of(names).contains(name)))
                .toList(),
            List.of(),
            Origins.NONE));
  }

  /** What was asked of somebody. */
  private static final class Recorder implements OriginSender {
    private final List<String> asked = new ArrayList<>();
    private final List<OriginRequest> requests = new ArrayList<>();
    private final List<OriginListener> listeners = new ArrayList<>();
    private int cancelled;
    private boolean isWaiting;

    @Override
    public OriginCall send(String origin, OriginRequest request, OriginListener listener) {
      asked.add(origin);
      requests.add(request);
      listeners.add(listener);
      return new OriginCall() {
        @Override
        public void suspend() {}

        @Override
        public void resume() {}

        @Override
        public boolean isWaiting() {
          return isWaiting;
        }

        @Override
        public void cancel() {
          cancelled++;
        }
      };
    }

    @Override
    public @Nullable OriginCall sendAgain(
        OriginCall earlier, OriginRequest request, boolean isElsewhere, OriginListener listener) {
      return null;
    }
  }

  /** Nobody who waits. */
  private static final class Nobody implements OriginListener {
    @Override
    public void onInformational(int status, HeaderFields fields) {}

    @Override
    public void onHead(
        int status, HeaderFields fields, long contentLength, boolean isCloseDelimited) {}

    @Override
    public void onData(ByteBuf data) {
      data.release();
    }

    @Override
    public void onReadComplete() {}

    @Override
    public void onEnd(HeaderFields trailers) {}

    @Override
    public void onFailure(OriginFailure failure) {}
  }

  private void ask(String... asked) {
    new PeerCall(
            origins,
            nodes,
            directory,
            time.eventLoop(),
            "main",
            new OriginRequest("GET", "/x", HeaderFields.of("host", "o"), RequestBody.NONE),
            new PeerQuestion(
                List.of(asked),
                false,
                "0".repeat(32),
                "http",
                "/x",
                HeaderFields.of("host", "site.example"),
                new OriginTimeouts(Duration.ofSeconds(1), Duration.ofMinutes(10), null)),
            List.of(asked),
            new Nobody())
        .start();
  }

  private void seconds(int seconds) {
    time.advanceTimeBy(seconds, TimeUnit.SECONDS);
    time.runScheduledPendingTasks();
  }

  @Test
  void aNodeThatGivesNoSignIsNotWaitedFor() {
    ask("b", "c");
    seconds(2);
    assertEquals(List.of("node b", "node c"), nodes.asked);
    assertEquals(1, nodes.cancelled);
    seconds(2);
    assertEquals(List.of("main"), origins.asked);
  }

  @Test
  void aNodeIsWaitedForLongerThanItWaitsForTheOrigin() {
    ask("b");
    OriginTimeouts timeouts = nodes.requests.getFirst().timeouts();
    assertEquals(Duration.ofMinutes(5), timeouts.firstByte());
    assertEquals(Duration.ofMinutes(10).plusSeconds(5), timeouts.idle());
  }

  @Test
  void aNodeThatFetchesIsWaitedForWhileItShowsThat() {
    ask("b");
    for (int i = 0; i < 30; i++) {
      nodes.listeners.getFirst().onInformational(102, HeaderFields.EMPTY);
      seconds(4);
    }
    assertEquals(List.of(), origins.asked);
    seconds(1);
    assertEquals(1, nodes.cancelled, "five seconds without an interim response");
    assertEquals(List.of("main"), origins.asked);
  }

  @Test
  void aNodeThatSaysThatItFetchesIsThereAgain() {
    PeerHealth health = directory.health("b");
    long past = System.nanoTime() - TimeUnit.SECONDS.toNanos(5);
    for (int i = 0; i < PeerHealth.FAILURES; i++) {
      boolean ignored = health.failed(past);
    }
    ask("b");
    assertEquals(List.of("node b"), nodes.asked, "a probe");
    assertTrue(health.isOut(System.nanoTime()), "nobody else asks it meanwhile");
    nodes.listeners.getFirst().onInformational(102, HeaderFields.EMPTY);
    assertFalse(health.isOut(System.nanoTime()), "however long its fetch takes");
  }

  @Test
  void aRequestThatWaitsForAConnectionHereSaysNothingOfTheNode() {
    nodes.isWaiting = true;
    for (int i = 0; i < PeerHealth.FAILURES; i++) {
      ask("b");
      seconds(2);
    }
    assertEquals(PeerHealth.FAILURES, origins.asked.size());
    assertTrue(directory.health("b").tryAsk(System.nanoTime()));
  }
}
