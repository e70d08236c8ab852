package io.forebay.server.logsink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What logs have in common besides their lines. */
final class LogSinkTest {
  private final Output output = new Output();
  private final LogSink sink = new LogSink("a log", output);

  private static final class Output implements LogOutput {
    int reopened;
    @Nullable IOException failure;

    @Override
    public boolean write(ByteBuffer lines) {
      return true;
    }

    @Override
    public void reopen() throws IOException {
      if (failure != null) {
        throw failure;
      }
      reopened++;
    }

    @Override
    public void close() {}
  }

  private static @Nullable String told(CompletableFuture<Void> reopened) {
    assertTrue(reopened.isDone());
    return LogSink.await(reopened, Duration.ZERO);
  }

  @Test
  void whoAsksForAReopenLearnsWhatBecameOfIt() {
    CompletableFuture<Void> first = sink.reopen();
    assertSame(first, sink.reopen(), "one for all who ask before it is done");
    assertFalse(first.isDone());
    assertNotNull(LogSink.await(first, Duration.ZERO), "the thread of the log has not come to it");
    sink.reopenIfWanted();
    assertNull(told(first));
    sink.reopenIfWanted();
    assertEquals(1, output.reopened);
    output.failure = new IOException("no space");
    CompletableFuture<Void> second = sink.reopen();
    sink.reopenIfWanted();
    assertTrue(Objects.requireNonNull(told(second)).contains("no space"));
  }

  @Test
  void nobodyWaitsForALogThatIsClosed() {
    CompletableFuture<Void> before = sink.reopen();
    sink.closing();
    sink.finish();
    assertTrue(Objects.requireNonNull(told(before)).contains("closed"));
    assertTrue(Objects.requireNonNull(told(sink.reopen())).contains("closed"));
  }

  @Test
  void anOpenLogIsNeverGivenUp() {
    assertFalse(sink.isGivenUp());
    sink.closing();
    assertTrue(sink.isClosing());
    assertFalse(sink.isGivenUp(), "the last lines have some seconds");
  }
}
