package io.forebay.benchmarks.micro;

import io.forebay.storage.disk.DiskWaiter;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.lane.StoreLane.Found;
import io.forebay.storage.transit.TransitBuffer;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A slice of a large object that lies on a disk, as a loop reads it when page cache has it: look-up
 * in the table of the disk, one system call into a transit buffer, checksum. It goes to sockets
 * from there. What is read again is left to a thread that brings it into memory, and which does not
 * run here. Slices are a sixteenth of a region: 64 KiB at 64 MiB of memory, 1 MiB in a node with 2
 * GiB and more.
 *
 * <pre>
 * java -jar benchmarks/target/benchmarks.jar DiskSliceBenchmark
 * java -jar benchmarks/target/benchmarks.jar DiskSliceBenchmark -p memoryMebibytes=2048
 * </pre>
 *
 * <p>The files lie where temporary files are; without {@code RWF_NOWAIT} there (an old kernel, some
 * file systems) it fails.
 */
public class DiskSliceBenchmark extends Bench {
  private static final long OBJECT_ID_UNKNOWN = -1;

  /** A store most of whose slices are on its disk. */
  @State(Scope.Thread)
  public static class Stored {
    @Param("64")
    int memoryMebibytes;

    private long[] objectIds = new long[0];
    private int[] slices = new int[0];
    private int next;
    private @Nullable BenchStore store;

    @Setup
    public void fill() {
      long memoryBytes = (long) memoryMebibytes << 20;
      // What was written first has left memory then, and is no more than page cache can keep.
      int objectBytes = (int) (memoryBytes / 32);
      int objects = 48;
      BenchStore opened = BenchStore.withDisk(memoryBytes, 2 * memoryBytes);
      store = opened;
      byte[] random = new byte[objectBytes];
      new Random(1).nextBytes(random);
      ByteBuffer body = ByteBuffer.wrap(random);
      long[] stored = new long[objects];
      for (int i = 0; i < objects; i++) {
        byte[] keyText = BenchStore.keyText(i);
        opened.putLarge(BenchStore.mix(i), BenchStore.mix(~i), keyText, body);
        opened.settle();
        stored[i] = objectId(opened.lane(0), i, keyText);
      }
      int perObject = (objectBytes + opened.store().sliceBytes() - 1) / opened.store().sliceBytes();
      allocateBuffers(opened, stored);
      findOnDisk(opened.lane(0), stored, perObject);
      if (slices.length < perObject) {
        throw new IllegalStateException("only " + slices.length + " slices are read from the disk");
      }
    }

    /** A reader does, at its first read. */
    private static void allocateBuffers(BenchStore opened, long[] stored) {
      StoreLane lane = opened.lane(0);
      for (long objectId : stored) {
        Found found = lane.findSlice(objectId, 0);
        if (found == Found.ON_DISK && lane.read(new FirstRead())) {
          opened.settle();
          return;
        }
        if (found == Found.HIT) {
          lane.unpin(lane.slice().region());
        }
      }
    }

    private static long objectId(StoreLane lane, int number, byte[] keyText) {
      return BenchStore.find(lane, number, keyText) < 0
          ? OBJECT_ID_UNKNOWN
          : lane.head().objectId();
    }

    /** Notes all slices that are read from the disk without waiting. */
    private void findOnDisk(StoreLane lane, long[] stored, int perObject) {
      objectIds = new long[stored.length * perObject];
      slices = new int[objectIds.length];
      int found = 0;
      for (long objectId : stored) {
        for (int slice = 0; slice < perObject && objectId != OBJECT_ID_UNKNOWN; slice++) {
          if (read(lane, objectId, slice) > 0) {
            objectIds[found] = objectId;
            slices[found++] = slice;
          }
        }
      }
      objectIds = Arrays.copyOf(objectIds, found);
      slices = Arrays.copyOf(slices, found);
    }

    /** Gives the length of the body's part; 0 where it is in memory or has to be waited for. */
    private static int read(StoreLane lane, long objectId, int slice) {
      Found found = lane.findSlice(objectId, slice);
      if (found == Found.HIT) {
        lane.unpin(lane.slice().region());
      }
      TransitBuffer read = found == Found.ON_DISK ? lane.readCached() : null;
      if (read == null) {
        return 0;
      }
      int length = read.bodyLength();
      read.release();
      return length;
    }

    /** Slices that are there to be read. */
    int count() {
      return slices.length;
    }

    int read() {
      if (store == null) {
        throw new IllegalStateException("not open");
      }
      next = (next + 1) % slices.length;
      int length = read(store.lane(0), objectIds[next], slices[next]);
      if (length == 0) {
        throw new IllegalStateException("not read: slice " + slices[next]);
      }
      return length;
    }

    @TearDown
    public void close() {
      if (store != null) {
        store.close();
      }
    }
  }

  private static final class FirstRead implements DiskWaiter {
    @Override
    public boolean needsMemory() {
      return false;
    }

    @Override
    public void onRead(@Nullable TransitBuffer read) {
      if (read != null) {
        read.release();
      }
    }
  }

  @Benchmark
  public int read(Stored stored) {
    return stored.read();
  }
}
