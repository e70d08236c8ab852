package io.forebay.benchmarks.lab;

import io.forebay.testing.EtcdFixture;
import io.forebay.testing.Metrics;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Locale;

/**
 * What the disk takes for forced writes: the floor of what a purge takes, which waits for two of
 * etcd's members, one after the other, and then for both copies of each node's journal.
 */
final class ForcedWrites {
  private static final int WRITES = 200;
  private static final int BYTES = 200;
  private static final String OF_LOG = "etcd_disk_wal_fsync_duration_seconds";

  private final EtcdFixture etcd;
  private final double[] before;

  /** Counts those of etcd from now on. */
  ForcedWrites(EtcdFixture etcd) throws IOException, InterruptedException {
    this.etcd = etcd;
    this.before = total();
  }

  /** Seconds and number of the forced writes of all members' logs since their start. */
  private double[] total() throws IOException, InterruptedException {
    double[] total = new double[2];
    for (int member = 0; member < etcd.members(); member++) {
      Metrics metrics = etcd.metrics(member);
      total[0] += metrics.sum(OF_LOG + "_sum");
      total[1] += metrics.sum(OF_LOG + "_count");
    }
    return total;
  }

  /** Of etcd since the beginning. */
  String ofEtcd() throws IOException, InterruptedException {
    double[] now = total();
    double count = now[1] - before[1];
    return String.format(
        Locale.ROOT,
        "mean %.2f ms of %.0f",
        (now[0] - before[0]) / Math.max(1, count) * 1e3,
        count);
  }

  /** Of this process, with nothing beside it: appends to a file in a directory. */
  static String alone(Path directory) throws IOException {
    Path file = Files.createTempFile(directory, "forced", "");
    long[] nanos = new long[WRITES];
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      for (int i = 0; i < WRITES; i++) {
        long start = System.nanoTime();
        int ignored = channel.write(ByteBuffer.allocate(BYTES), (long) i * BYTES);
        channel.force(false);
        nanos[i] = System.nanoTime() - start;
      }
    } finally {
      Files.delete(file);
    }
    Arrays.sort(nanos);
    return String.format(
        Locale.ROOT,
        "p50 %.2f ms, p99 %.2f ms",
        nanos[WRITES / 2] / 1e6,
        nanos[WRITES * 99 / 100] / 1e6);
  }
}
