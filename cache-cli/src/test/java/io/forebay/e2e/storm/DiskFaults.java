package io.forebay.e2e.storm;

import io.forebay.e2e.storm.Nemesis.Trace;
import io.forebay.e2e.storm.Scene.Held;

/** A disk that has no room for the journal, or writes it late. */
final class DiskFaults {
  private DiskFaults() {}

  static Trace fullJournal(Scene scene) throws Exception {
    StormDisk disk = scene.cluster().disk(scene.node());
    Held held = new Held(0, false);
    try {
      disk.fill();
      held =
          scene.hold(
              scene.millis(1_500, 9_000),
              () -> scene.edge().admin("/readyz").body().contains("purge-log"));
    } finally {
      disk.empty();
    }
    return new Trace(
        held.isSeen(),
        "of %s for %d ms: it %s that its journal cannot be written"
            .formatted(scene.name(), held.millis(), held.isSeen() ? "says" : "does not say"));
  }

  static Trace slowDisk(Scene scene) throws Exception {
    StormDisk disk = scene.cluster().disk(scene.node());
    int other = (scene.node() + 1) % StormCluster.NODES;
    long most = System.nanoTime() + scene.millis(1_500, 8_000) * 1_000_000;
    int times = 0;
    int behind = 0;
    while (System.nanoTime() < Math.min(most, scene.end())) {
      disk.freeze();
      try {
        long ignored = scene.hold(scene.millis(50, 1_500));
        behind +=
            scene.cluster().figure(scene.node(), "forebay_cluster_position")
                    < scene.cluster().figure(other, "forebay_cluster_position")
                ? 1
                : 0;
      } finally {
        disk.thaw();
      }
      times++;
      long ignored = scene.hold(scene.millis(20, 200));
    }
    return new Trace(
        behind > 0,
        "of %s: writes waited %d times, and it was behind %d times"
            .formatted(scene.name(), times, behind));
  }
}
