package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Jar;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * Disks are emptied, replaced, added and removed by the commands of the packaged jar while the node
 * serves.
 */
@Tag("full")
final class StoreDisksIT {
  /** About 28 MB, nearly twice the memory tier. */
  private static final int OBJECTS = 200;

  @TempDir Path directory;
  private final List<Tree.Entry> files = new ArrayList<>();

  @SuppressWarnings("NullAway.Init")
  private NginxOrigin origin;

  @SuppressWarnings("NullAway.Init")
  private Tree tree;

  @SuppressWarnings("NullAway.Init")
  private EdgeProcess.Settings settings;

  @SuppressWarnings("NullAway.Init")
  private EdgeProcess edge;

  @BeforeEach
  void startTheOrigin() throws Exception {
    origin = NginxOrigin.start(directory.resolve("nginx"));
    tree = origin.tree(52);
    settings = EdgeProcess.in(directory.resolve("edge")).memory("16MiB");
  }

  @AfterEach
  void stop() {
    Tools.close(edge == null ? settings::discard : edge, origin);
  }

  private Path disk(String name) {
    return directory.resolve(name);
  }

  /** Writes the configuration: a part of section {@code store}, and disks with their options. */
  private void configure(String store, String... disks) throws IOException {
    StringBuilder yaml =
        new StringBuilder(
            """
            origins: {o: {url: "%s"}}
            routes: [{name: r, origin: o}]
            store: {disk-admission: always, %s}
            stores:
            """
                .formatted(origin.url(), store));
    for (String disk : disks) {
      String name = disk.substring(0, 1);
      yaml.append(
          "  %s: {path: \"%s\", size: 64MiB%s}%n".formatted(name, disk(name), disk.substring(1)));
    }
    settings.config(yaml.toString());
  }

  /** Has more objects stored; all that there are, are hits in the end. */
  private void fill() throws Exception {
    int from = files.size();
    for (int n = from; n < from + OBJECTS; n++) {
      int length = n % 3 == 0 ? 20_000 : n % 3 == 1 ? 100_000 : 300_000;
      files.add(tree.write("/" + n, length));
    }
    // What leaves memory faster than disks write is fetched again.
    Await.until("all are stored", () -> misses(files) == 0);
  }

  /**
   * No disk's objects are lost, of which each has a third or more. Some are where memory had to
   * drop them faster than the disks of a busy machine write.
   */
  private void assertHits() throws IOException {
    int misses = misses(files);
    assertTrue(misses <= files.size() / 5, misses + " of " + files.size());
  }

  /** Requests files: each response is right, and so many came from the origin. */
  private int misses(List<Tree.Entry> of) throws IOException {
    int misses = 0;
    for (Tree.Entry file : of) {
      Response response = edge.get(file.path());
      file.assertSame(response);
      misses += response.isFromCache() ? 0 : 1;
    }
    return misses;
  }

  /** Starts the node again and waits until it knows what is on its disks. */
  private void restart() throws Exception {
    edge.restart();
    Await.until(
        "the index is complete",
        () ->
            !Admin.stats(edge)
                .at("/store/recovery/phase")
                .asString("rebuilding")
                .equals("rebuilding"));
  }

  private Commands.Finished store(String... words) throws Exception {
    List<String> all = new ArrayList<>();
    all.add("store");
    all.addAll(List.of(words));
    all.addAll(List.of("--admin-url", edge.adminUrl()));
    return Jar.quick().run(all.toArray(new String[0]));
  }

  /** A command that is refused, in one line that contains the text. */
  private void refused(int exit, String text, String... words) throws Exception {
    Commands.Finished refused = store(words);
    assertEquals(exit, refused.exit(), refused::toString);
    assertEquals("", refused.out());
    assertTrue(refused.err().contains(text), refused::toString);
    if (exit == 1) {
      assertEquals(1, refused.messages().size(), refused::toString);
    }
  }

  private JsonNode stores() throws Exception {
    return Admin.json(edge.admin("/v1/stores").body()).path("stores");
  }

  private JsonNode figures(String name) throws Exception {
    for (JsonNode store : stores()) {
      if (store.path("name").asString("").equals(name)) {
        return store;
      }
    }
    throw new AssertionError("no disk " + name);
  }

  private long figure(String disk, String name) throws Exception {
    return figures(disk).path(name).asLong(-1);
  }

  private long reads(String disk) throws Exception {
    return figure(disk, "reads") + figure(disk, "cachedReads");
  }

  private String state(String disk) throws Exception {
    return figures(disk).path("state").asString("");
  }

  private boolean isOpen(String disk) throws IOException {
    try (DirectoryStream<Path> descriptors =
        Files.newDirectoryStream(Path.of("/proc/" + edge.pid() + "/fd"))) {
      for (Path descriptor : descriptors) {
        // One that is closed meanwhile is not that of the disk.
        if (Files.isSymbolicLink(descriptor)
            && Files.readSymbolicLink(descriptor).startsWith(disk(disk).toRealPath())) {
          return true;
        }
      }
    }
    return false;
  }

  /** Another disk, with nothing on it, is mounted in the place of one. */
  private void swap(String name) throws IOException {
    Files.move(disk(name), disk("pulled"));
    Files.createDirectory(disk(name));
  }

  @Test
  void disksAreEmptiedReplacedAddedAndRemovedWhileTheNodeServes() throws Exception {
    String[] two = {"a, trim: \"on\"", "b"};
    configure("evacuate-rate: 0", two);
    edge = settings.start();
    fill();
    assertTrue(reads("a") > 0 && reads("b") > 0, stores()::toString);
    assertTrue(figure("a", "trimmedBytes") >= 64 << 20, stores()::toString);
    assertEquals(0, figure("b", "trimmedBytes"));

    // Empty it. Its objects move to the other disk, and none is fetched again.
    Commands.Finished emptied = store("evacuate", "a", "--json").orFail();
    JsonNode told = Admin.json(emptied.out());
    assertEquals(1, emptied.out().lines().count(), emptied::out);
    assertEquals("a", told.path("name").asString(""));
    assertEquals("evacuated", told.path("state").asString(""));
    assertTrue(told.at("/evacuation/movedRecords").asLong(0) > OBJECTS / 4, told::toString);
    assertEquals(0, told.at("/evacuation/droppedRecords").asLong(-1), told::toString);
    assertFalse(isOpen("a"), "its file system can be unmounted");
    assertTrue(isOpen("b"));
    assertHits();
    assertEquals(0, store("evacuate", "a").orFail().exit(), "there is nothing left to do");

    // Replace it.
    swap("a");
    Commands.Finished replaced = store("replace", "a").orFail();
    assertTrue(replaced.out().contains("disk a is replaced"), replaced::out);
    assertEquals("online", state("a"));
    long written = figure("a", "writtenBytes");
    fill();
    assertTrue(figure("a", "writtenBytes") > written + (1 << 20), stores()::toString);
    assertHits();

    // Add one.
    refused(1, "the configuration in force has no stores.c", "add", "c");
    configure("evacuate-rate: 0", two[0], two[1], "c");
    Commands.Finished reload =
        Jar.quick().run("reload", "--json", "--admin-url", edge.adminUrl()).orFail();
    assertTrue(reload.out().contains("stores.c"), reload::out);
    assertEquals(2, stores().size(), "a reload alone uses no disk");
    Commands.Finished added = store("add", "c").orFail();
    assertTrue(added.out().contains("disk c is added"), added::out);
    refused(1, "there is a disk named c already", "add", "c");
    fill();
    Await.until("the added disk is written to", () -> figure("c", "writtenBytes") > 1 << 20);
    assertHits();
    Await.until("and read from", () -> misses(files) == 0 && reads("c") > 0);

    // Remove it.
    refused(1, "disk c is online: evacuate it first", "remove", "c");
    assertEquals(0, store("evacuate", "c").orFail().exit());
    Commands.Finished removed = store("remove", "c").orFail();
    assertTrue(removed.out().contains("disk c is removed"), removed::out);
    assertEquals(2, stores().size());
    refused(1, "there is no disk named c", "remove", "c");
    assertHits();
    configure("evacuate-rate: 0", two);
    Jar.quick().run("reload", "--admin-url", edge.adminUrl()).orFail();

    assertEquals(0, edge.terminate());
    restart();
    assertEquals(2, stores().size());
    assertHits();
    for (String name : List.of("a", "b")) {
      assertEquals(0, figure(name, "errors") + figure(name, "checksumFailures"));
    }
  }

  @Test
  void wrongNamesAndStatesAreRefusedInALineAndChangeNothing() throws Exception {
    configure("evacuate-rate: 0", "a", "b");
    edge = settings.start();
    for (String action : List.of("evacuate", "offline", "remove")) {
      refused(1, "there is no disk named nope", action, "nope");
    }
    refused(1, "the configuration in force has no stores.nope", "replace", "nope");
    refused(1, "the configuration in force has no stores.nope", "add", "nope");
    refused(1, "disk a is online: evacuate it first, or take it offline", "replace", "a");
    refused(1, "disk a is online: evacuate it first", "remove", "a");
    refused(1, "disk a is online: it is not being evacuated", "evacuate", "a", "--cancel");
    refused(2, "NAME", "evacuate");
    refused(2, "replace requires the name of a disk", "replace");
    refused(2, "ACTION", "empty", "a");
    assertEquals(0, store("offline", "a").orFail().exit());
    refused(1, "disk a is offline: only a disk that is online can be evacuated", "evacuate", "a");
    assertEquals(0, store("online", "a").orFail().exit());
    assertEquals("online", state("a"));
    assertEquals("online", state("b"));
  }

  @Test
  void theOnlyDiskIsEmptiedIntoMemoryAndIsUsedAgainWhenToldTo() throws Exception {
    configure("evacuate-rate: 0", "a");
    edge = settings.start();
    fill();
    List<Tree.Entry> hot = files.subList(0, 20);
    assertEquals(0, misses(hot) + misses(hot));
    Commands.Finished emptied = store("evacuate", "a").orFail();
    assertTrue(emptied.out().contains("disk a is empty and can be pulled"), emptied::out);
    assertEquals(0, misses(hot), "what is requested came into memory");
    int misses = misses(files);
    assertTrue(misses > 0 && misses < OBJECTS, misses + " of " + OBJECTS);

    assertEquals(0, edge.terminate());
    restart();
    assertEquals("evacuated", state("a"), "also after a restart");
    assertFalse(isOpen("a"));
    assertTrue(misses(files) < OBJECTS);
    Commands.Finished again = store("online", "a").orFail();
    assertTrue(again.out().contains("disk a is used again"), again::out);
    Await.until("all are stored again", () -> misses(files) == 0);
    assertTrue(figure("a", "writtenBytes") > 1 << 20, stores()::toString);
  }

  @Test
  void anEvacuationGoesOnAfterAKill() throws Exception {
    configure("evacuate-rate: 64KiB", "a", "b");
    edge = settings.start();
    fill();
    // From here on a kill costs only what was written to disks in the ten seconds before it.
    assertEquals(0, edge.terminate());
    restart();
    JsonNode begun = Admin.json(store("evacuate", "a", "--no-wait", "--json").orFail().out());
    assertEquals("evacuating", begun.path("state").asString(""));
    Process waiting = Jar.quick().start("store", "evacuate", "a", "--admin-url", edge.adminUrl());
    try {
      Await.until(
          "some have moved", () -> figures("a").at("/evacuation/movedRecords").asLong(0) > 3);
      edge.kill();
      assertTrue(waiting.waitFor(1, TimeUnit.MINUTES), "who waits for it ends, too");
      assertEquals(1, waiting.exitValue());
      String said = new String(waiting.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(said.contains(edge.adminUrl()), said);
    } finally {
      waiting.destroyForcibly();
    }
    restart();
    Await.until("it goes on", () -> state("a").equals("evacuating"));
    assertMostAreHits();
    refused(1, "disk a is evacuating", "replace", "a");

    Commands.Finished cancelled = store("evacuate", "a", "--cancel").orFail();
    assertTrue(cancelled.out().contains("disk a is used again"), cancelled::out);
    assertEquals("online", state("a"));
    store("evacuate", "a", "--no-wait").orFail();
    edge.kill();
    configure("evacuate-rate: 0", "a", "b");
    restart();
    Await.until("it ends", () -> state("a").equals("evacuated"));
    assertMostAreHits();
    swap("a");
    assertEquals(0, store("replace", "a").orFail().exit());
    assertEquals("online", state("a"));
    Await.until("all are stored", () -> misses(files) == 0);
  }

  /** All but what has just moved. */
  private void assertMostAreHits() throws IOException {
    int misses = misses(files);
    assertTrue(misses <= OBJECTS / 10, misses + " of " + OBJECTS);
  }

  @Test
  void wearOfDisksAndDrivesIsShown() throws Exception {
    Path smartctl = directory.resolve("smartctl");
    Files.writeString(
        smartctl,
        """
        #!/bin/sh
        echo "$@" >> %s
        cat << 'END'
        {"smartctl": {"exit_status": 0}, "device": {"name": "/dev/nvme0n1", "type": "nvme"},
         "smart_status": {"passed": true}, "temperature": {"current": 41},
         "nvme_smart_health_information_log": {"available_spare": 97, "percentage_used": 12}}
        END
        """
            .formatted(directory.resolve("asked")));
    Files.setPosixFilePermissions(smartctl, PosixFilePermissions.fromString("rwxr-xr-x"));
    configure("smartctl: \"" + smartctl + "\"", "a, daily-writes: 10GiB, rated-writes: 1TiB");
    edge = settings.start();
    fill();
    JsonNode disks = Admin.json(store("stat", "--json").orFail().out()).path("disks");
    assertEquals(1, disks.size());
    JsonNode endurance = disks.path(0).path("endurance");
    long written = endurance.path("writtenBytes").asLong(0);
    assertTrue(written > 1 << 20, endurance::toString);
    assertTrue(endurance.path("dayBytes").asLong(0) > 1 << 20, endurance::toString);
    assertEquals(10L << 30, endurance.path("dailyBudgetBytes").asLong(0));
    assertEquals(1L << 40, endurance.path("ratedBytes").asLong(0));
    assertEquals("open", endurance.path("admission").asString(""));
    assertTrue(store("stat").orFail().out().contains("10 GiB"), "the budget, for people");
    assertEquals(0, edge.terminate());
    restart();
    endurance =
        Admin.json(store("stat", "--json").orFail().out()).path("disks").path(0).path("endurance");
    assertTrue(endurance.path("writtenBytes").asLong(0) >= written, "it outlives the process");

    // On an overlay or a tmpfs, as in some containers, there is no drive to be asked.
    Await.until(
        "the drive was asked, or there is none",
        () -> hasWear() || edge.errText().contains("does not lie on one drive"));
    assertTrue(hasWear() || !liesOnADrive(disk("a")), edge.errText());
    if (hasWear()) {
      assertEquals(0.12, edge.metrics().sum("forebay_drive_used_ratio", "store=\"a\""), 1e-9);
      assertEquals(41, edge.metrics().sum("forebay_drive_temperature_celsius", "store=\"a\""));
      assertEquals(1, edge.metrics().sum("forebay_drive_healthy", "store=\"a\""));
      String asked = Files.readString(directory.resolve("asked"));
      assertTrue(asked.startsWith("--json=c --all /dev/"), asked);
    }
  }

  private boolean hasWear() throws Exception {
    return !edge.metrics().matching("forebay_drive_used_ratio", "store=\"a\"").isEmpty();
  }

  /** Whether the file system of a directory is on a drive, with no volume in between. */
  private static boolean liesOnADrive(Path path) throws IOException {
    if (!(Files.getAttribute(path, "unix:dev") instanceof Long device)) {
      return false;
    }
    long major = (device >>> 8 & 0xFFF) | (device >>> 32 & ~0xFFFL);
    long minor = (device & 0xFF) | (device >>> 12 & ~0xFFL);
    Path block = Path.of("/sys/dev/block", major + ":" + minor);
    if (!Files.exists(block)) {
      return false;
    }
    return !block.toRealPath().toString().contains("/virtual/");
  }
}
