package io.forebay.server.drive;

import io.forebay.server.text.Printable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the drives below the disk stores how they are, every ten minutes on a thread of its own. A
 * drive that cannot be asked has no metrics, and one line in the log for each reason.
 */
public final class DriveMonitor implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DriveMonitor.class);

  private static final long PERIOD_SECONDS = 600;
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final Smartctl smartctl;
  private final BlockDevices devices;
  private final Supplier<Map<String, Path>> stores;
  private final CountDownLatch isClosing = new CountDownLatch(1);
  private final Map<String, String> said = new HashMap<>();
  private volatile List<DriveHealth> latest = List.of();

  /**
   * @param program smartctl, or what takes its arguments
   * @param sys where sysfs is mounted
   * @param stores the directory of each disk store by its name
   */
  public DriveMonitor(Path program, Path sys, Supplier<Map<String, Path>> stores) {
    this.smartctl = new Smartctl(program, TIMEOUT);
    this.devices = new BlockDevices(sys);
    this.stores = stores;
  }

  /** Asks by itself from here on. */
  public DriveMonitor start() {
    Thread.ofPlatform().daemon(true).name("drives").start(this::run);
    return this;
  }

  private void run() {
    try {
      do {
        step();
      } while (!isClosing.await(PERIOD_SECONDS, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The last answers, one for each store whose drive could be asked. Any thread. */
  public List<DriveHealth> latest() {
    return latest;
  }

  /** Asks once. One thread at a time. */
  void step() throws InterruptedException {
    List<DriveHealth> found = new ArrayList<>();
    for (Map.Entry<String, Path> store : stores.get().entrySet()) {
      try {
        ask(store.getKey(), store.getValue(), found);
      } catch (IOException e) {
        say(store.getKey(), e.toString());
      }
    }
    latest = List.copyOf(found);
  }

  private void ask(String store, Path directory, List<DriveHealth> found)
      throws IOException, InterruptedException {
    String drive = devices.driveOf(directory);
    if (drive == null) {
      say(store, directory + " does not lie on one drive");
      return;
    }
    byte[] json = smartctl.report(drive);
    DriveHealth health = SmartReport.read(store, drive, json);
    if (health == null) {
      String problem = SmartReport.problem(json);
      say(store, problem.isEmpty() ? "smartctl does not report on " + drive : problem);
      return;
    }
    if (health.passed() == 0) {
      say(store, "drive " + drive + " says that it is failing");
    }
    found.add(health);
  }

  private void say(String store, String problem) {
    String text = Printable.line(problem);
    if (!text.equals(said.put(store, text))) {
      LOG.warn("drive of store {}: {}", store, text);
    }
  }

  @Override
  public void close() {
    isClosing.countDown();
  }
}
