package io.forebay.storage.disk;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads of one device: {@code disk-NAME-0} writes, the others read. */
final class DeviceThreads {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceThreads.class);

  private static final long WAIT_MILLIS = 100;
  private static final long JOIN_MILLIS = 30_000;

  private final Device device;
  private final Semaphore readable;
  private final Semaphore writable;
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean isClosing;

  /**
   * @param bell rung when there is something to do
   */
  DeviceThreads(Device device, Wakeup bell) {
    this.device = device;
    this.readable = bell.readable;
    this.writable = bell.writable;
  }

  /** What a device rings when there is something to do: it is there before its threads are. */
  static final class Wakeup {
    private final Semaphore readable = new Semaphore(0);
    private final Semaphore writable = new Semaphore(0);

    void ring() {
      readable.release();
      if (writable.availablePermits() == 0) {
        writable.release();
      }
    }

    /**
     * Has one reader look what is queued, and no writer. A permit that nobody has taken yet will
     * do: who takes it looks after that.
     */
    void ringReader() {
      if (readable.availablePermits() == 0) {
        readable.release();
      }
    }
  }

  void start(ThreadFactory factory) {
    Thread writer = factory.newThread(this::write);
    writer.setName("disk-" + device.name() + "-0");
    threads.add(writer);
    for (int n = 1; n <= device.settings().readers(); n++) {
      Thread reader = factory.newThread(this::read);
      reader.setName("disk-" + device.name() + "-" + n);
      threads.add(reader);
    }
    threads.forEach(Thread::start);
  }

  private void write() {
    while (!isClosing) {
      try {
        if (!device.work()) {
          await(writable);
          // One look finds all there is to do.
          writable.drainPermits();
        }
      } catch (RuntimeException e) {
        LOG.error("disk {}: its writer failed and continues", device.name(), e);
        await(writable);
      }
    }
  }

  private void read() {
    ByteBuffer buffer = DeviceRecords.buffer();
    while (!isClosing) {
      try {
        if (!device.loadNext(buffer) && !device.helpRecovery(buffer)) {
          await(readable);
        }
      } catch (RuntimeException e) {
        LOG.error("disk {}: a load failed", device.name(), e);
      }
    }
  }

  private static void await(Semaphore semaphore) {
    try {
      boolean ignored = semaphore.tryAcquire(WAIT_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  void close() {
    isClosing = true;
    readable.release(threads.size());
    writable.release();
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(JOIN_MILLIS);
    for (Thread thread : threads) {
      try {
        // A device that does not answer must not keep the process.
        boolean isOver = thread.join(Duration.ofMillis(WAIT_MILLIS));
        while (!isOver && device.isInUse() && System.nanoTime() < end) {
          device.checkPace();
          isOver = thread.join(Duration.ofMillis(WAIT_MILLIS));
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Whether nobody is left who may be using the device. */
  boolean hasEnded() {
    return threads.stream().noneMatch(Thread::isAlive);
  }
}
