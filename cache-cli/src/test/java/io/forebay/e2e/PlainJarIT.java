package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.PathOrigin;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node started by {@code java -jar forebay.jar serve}, without JVM options. */
final class PlainJarIT {
  @TempDir private Path directory;

  @Tag("full")
  @Test
  void theJvmPrintsNoWarning() throws Exception {
    try (PathOrigin origin = PathOrigin.start();
        EdgeProcess edge = EdgeProcess.in(directory, origin.url()).jvm().start()) {
      origin.cacheable("/a", "one");
      edge.get("/a");
      Await.until("a hit", () -> edge.get("/a").isFromCache());

      assertEquals(0, edge.terminate());

      assertTrue(edge.errText().contains("memory tier"), edge.errText());
      assertFalse(edge.errText().contains("WARNING:"), edge.errText());
      assertFalse(edge.outText().contains("WARNING:"), edge.outText());
    }
  }
}
