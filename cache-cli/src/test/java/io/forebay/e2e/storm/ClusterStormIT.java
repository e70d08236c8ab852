package io.forebay.e2e.storm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.e2e.storm.StormRun.Ended;
import io.forebay.e2e.storm.StormSeeds.Progress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * No read that began after a purge was acknowledged returns something older, whatever fails; and
 * the checker finds such reads where there are some.
 */
@Tag("full")
@Tag("alone")
final class ClusterStormIT {
  private static final int STORMS = 20;
  private static final int STORMS_OF_A_CLUSTER = 20;
  private static final Duration OF_A_STORM = Duration.ofSeconds(60);
  private static final Duration OF_A_START = Duration.ofMinutes(2);

  @TempDir Path directory;

  @BeforeEach
  void require() throws Exception {
    StormRun.requireAll();
  }

  @Test
  @Tag("campaign")
  void noReadIsOlderThanAnAcknowledgedPurgeInTwentyStorms() throws Exception {
    storms(STORMS, directory.resolve("seeds"));
  }

  /** Goes on where an earlier campaign with the same file has ended. */
  @Test
  @Tag("campaign")
  void noReadIsOlderThanAnAcknowledgedPurgeInManyStorms() throws Exception {
    storms(
        Integer.getInteger("test.storms", 300),
        Path.of(System.getProperty("test.storms.seeds", "target/storms.seeds")).toAbsolutePath());
  }

  private void storms(int count, Path seeds) throws Exception {
    long first = Long.getLong("test.seed", new SplittableRandom().nextLong(1_000_000_000));
    Progress progress = StormSeeds.read(seeds, first);
    while (progress.counted() < count) {
      int some = Math.min(STORMS_OF_A_CLUSTER, count - progress.counted());
      Path own = Files.createTempDirectory(directory, "storms");
      Ended ended =
          StormRun.run(
              OF_A_START.plus(OF_A_STORM.multipliedBy(some)),
              own,
              "storms",
              some,
              progress.next(),
              seeds);
      assertEquals(0, ended.exit(), ended::output);
      progress = StormSeeds.read(seeds, first);
    }
    assertEquals(0, progress.offences(), "offences in the storms of " + seeds);
  }

  @Test
  void aNodeThatDoesNotSeeAllPurgesIsFound() throws Exception {
    Ended ended = StormRun.run(OF_A_START, directory, "dropped-purges");
    assertEquals(0, ended.exit(), ended::output);
  }

  @Test
  void aNodeThatServesWhereItClaimsToBeFencedIsFound() throws Exception {
    Ended ended = StormRun.run(OF_A_START, directory, "claimed-fence");
    assertEquals(0, ended.exit(), ended::output);
  }
}
