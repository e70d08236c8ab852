package io.forebay.storage.disk;

import io.forebay.storage.transit.TransitBuffer;
import org.jspecify.annotations.Nullable;

/** Who waits for a record that is read from a disk. Told once, on any thread. */
public interface DiskWaiter {

  /** Whether only a record in memory will do: then it is brought there. */
  boolean needsMemory();

  /**
   * The read is over. What is in memory by now, or gone, a look into the index tells.
   *
   * @param read the record, held once for this waiter, which has to release it; null if it was
   *     brought into memory, could not be read, or this waiter needs memory
   */
  void onRead(@Nullable TransitBuffer read);

  /** A waiter that needs the record in memory. */
  static DiskWaiter inMemory(Runnable onDone) {
    return new DiskWaiter() {
      @Override
      public boolean needsMemory() {
        return true;
      }

      @Override
      public void onRead(@Nullable TransitBuffer read) {
        if (read != null) {
          read.release();
        }
        onDone.run();
      }
    };
  }
}
