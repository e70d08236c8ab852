package io.forebay.e2e;

import io.forebay.testing.PathOrigin;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Serves files that another process is still writing, as an origin of low-latency DASH does: {@code
 * name.tmp} until they are whole, {@code name} from then on. Each piece goes out as a chunk when it
 * is written. What is about to be written is waited for.
 */
final class GrowingFiles {
  private static final Duration PAUSE = Duration.ofMillis(5);
  private static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final Path root;

  GrowingFiles(Path root) {
    this.root = root;
  }

  void serve(PathOrigin.Exchange exchange) throws IOException {
    Path file = root.resolve(exchange.request().path().substring(1)).normalize();
    long begin = System.nanoTime();
    while (file.startsWith(root) && System.nanoTime() - begin < PATIENCE.toNanos()) {
      try (InputStream in = open(file)) {
        exchange.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        follow(in, file, exchange);
        exchange.lastChunk();
        return;
      } catch (NoSuchFileException notYet) {
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
    exchange.respond(404, "", "not there\n");
  }

  private static InputStream open(Path file) throws IOException {
    try {
      // What was opened under its first name is the same file under its second.
      return Files.newInputStream(file.resolveSibling(file.getFileName() + ".tmp"));
    } catch (NoSuchFileException isWhole) {
      return Files.newInputStream(file);
    }
  }

  private static void follow(InputStream in, Path file, PathOrigin.Exchange exchange)
      throws IOException {
    long begin = System.nanoTime();
    while (System.nanoTime() - begin < LIMIT.toNanos()) {
      boolean isWhole = Files.exists(file);
      byte[] more = in.readAllBytes();
      if (more.length > 0) {
        exchange.chunk(more);
      }
      if (isWhole) {
        return;
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    }
    throw new IOException(file + " does not end");
  }
}
