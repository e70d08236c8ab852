package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Jar;
import io.forebay.testing.PathOrigin;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A reload of a node that shares objects. */
@Tag("full")
final class ShareReloadIT {
  private static final String COPIES = "class=\"node.copies\"";

  @TempDir Path directory;

  /** The section takes effect at the next start: until then the node makes copies. */
  @Test
  void copiesStayOffDisksAfterAReloadThatRemovesTheCluster() throws Exception {
    byte[] body = new byte[100_000];
    Arrays.fill(body, (byte) 'x');
    AtomicInteger disks = new AtomicInteger();
    try (PathOrigin origin = PathOrigin.start()) {
      origin.otherwise(exchange -> exchange.respond(200, "Cache-Control: max-age=3600\r\n", body));
      try (ClusterEdges cluster =
          ClusterEdges.startSharing(
              directory,
              origin.url(),
              1,
              2,
              name -> "",
              "30s",
              settings ->
                  settings.with(
                      "--disk",
                      directory.resolve("disk-" + disks.incrementAndGet()) + ":128MiB"))) {
        EdgeProcess edge = cluster.edge(0);
        Path file = directory.resolve("edge-0/forebay.yaml");
        String before = Files.readString(file);
        String after = before.replaceAll("(?m)^cluster:\n(?:  .*\n)+", "");
        assertNotEquals(before, after);
        Files.writeString(file, after);

        Commands.Finished reload = Jar.quick().run("reload", "--admin-url", edge.adminUrl());

        assertEquals(0, reload.exit(), reload.toString());
        assertTrue(reload.out().contains("cluster"), reload.out());
        // More than memory holds; the other node owns half of it.
        for (int key = 0; key < 600; key++) {
          assertEquals(200, edge.get("/big" + key).status());
        }
        assertTrue(
            edge.metrics().sum("forebay_cluster_peer_requests_total", "result=\"fetch\"") > 100,
            "the node goes on to ask the other one");
        Await.until(
            "copies left memory",
            () -> edge.metrics().sum("forebay_store_class_evicted_records_total", COPIES) > 0);
        Await.until(
            "own objects are on the disk",
            () -> edge.metrics().sum("forebay_disk_day_written_bytes") > 0);
        assertEquals(0, edge.metrics().sum("forebay_store_class_written_records_total", COPIES));
      }
    }
  }
}
