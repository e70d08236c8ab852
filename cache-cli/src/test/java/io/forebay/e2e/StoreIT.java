package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Jar;
import io.forebay.testing.PathOrigin;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Stored objects are visible while a node runs and at rest, and damage is found. */
@Tag("full")
final class StoreIT {
  private static final int SMALL = 40;
  private static final int TIER_HEADER = 4096;

  @TempDir Path directory;

  private static List<String> words(String... words) {
    return new ArrayList<>(Arrays.asList(words));
  }

  private static Commands.Finished store(List<String> place, String... words) throws Exception {
    List<String> all = words("store");
    all.addAll(List.of(words));
    all.addAll(place);
    return Jar.quick().run(all.toArray(new String[0]));
  }

  private static Set<String> keys(List<String> place) throws Exception {
    TreeSet<String> keys = new TreeSet<>();
    store(place, "ls", "--json", "--limit", "0")
        .orFail()
        .out()
        .lines()
        .forEach(line -> assertTrue(keys.add(Admin.json(line).path("key").asString(""))));
    return keys;
  }

  @Test
  void whatIsStoredIsSeenRunningAndAtRestAndDamageIsFound() throws Exception {
    String host = "Host: www.example";
    Path disk = directory.resolve("disk");
    try (PathOrigin origin = PathOrigin.start();
        EdgeProcess edge =
            EdgeProcess.in(directory.resolve("edge"), origin.url())
                .memory("32MiB")
                .with("--disk", disk + ":64MiB")
                .start()) {
      for (int n = 0; n < SMALL; n++) {
        origin.cacheable("/small/" + n, "body " + n + " ".repeat(100 * n));
        assertEquals(200, edge.get("/small/" + n, host).status());
      }
      origin.cacheable("/large", "x".repeat(3 << 20));
      assertEquals(200, edge.get("/large", host).status());
      List<String> live = words("--admin-url", edge.adminUrl());
      Set<String> stored = keys(live);
      assertEquals(SMALL + 1, stored.size(), stored::toString);
      look(live);
      Commands.Finished misplaced = Jar.quick().run("store", "--admin-url", edge.adminUrl(), "map");
      assertEquals(2, misplaced.exit(), misplaced::toString);
      Commands.Finished whole = store(live, "verify", "--json", "--rate", "0").orFail();
      assertEquals(0, Admin.json(whole.out()).path("bad").asInt(-1), whole::toString);
      JsonNode shown =
          Admin.json(store(live, "show", "http://www.example/large", "--json").orFail().out());
      assertEquals("default", shown.at("/targets/0/route").asString(""));

      Path data = directory.resolve("edge").resolve("data");
      List<String> rest =
          words("--data", data.toString(), "--memory-dir", edge.memory().toString());
      Commands.Finished owned = store(rest, "ls");
      assertEquals(69, owned.exit(), owned::toString);
      assertTrue(owned.err().contains("is in use by process " + edge.pid()), owned.err());
      assertTrue(owned.err().contains("omit --data"), owned.err());

      assertEquals(0, edge.terminate());
      rest.addAll(List.of("--disk", disk.toString()));
      assertEquals(stored, keys(rest));
      look(rest);
      assertEquals(0, store(rest, "verify").orFail().exit());
      damage(edge, rest);
      assertEquals(200, edge.restart().get("/small/1", host).status());
    }
  }

  /** What people see. */
  private static void look(List<String> place) throws Exception {
    String list = store(place, "ls", "www.example/small/1").orFail().out();
    assertEquals(11, list.lines().count(), list);
    assertTrue(list.contains("http://www.example/small/1"), list);
    assertFalse(list.contains("\u001b"), "colours where no terminal is");
    String large = store(place, "show", "http://www.example/large").orFail().out();
    assertTrue(large.contains("The stored response is fresh."), large);
    assertTrue(large.contains("0 missing"), large);
    String none = store(place, "show", "http://www.example/none").orFail().out();
    assertTrue(none.contains("Nothing is stored for this URL."), none);
    String stat = store(place, "stat").orFail().out();
    assertTrue(stat.contains("www.example"), stat);
    String map = store(place, "map").orFail().out();
    assertTrue(map.contains("probation"), map);
    String drawn = new String(map.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    assertTrue(drawn.lines().allMatch(line -> line.length() <= 80), drawn);
    JsonNode json = Admin.json(store(place, "map", "--json").orFail().out());
    assertEquals(2, json.path("tiers").size());
  }

  /** Turns a byte of one body over in the files at rest. */
  private static void damage(EdgeProcess edge, List<String> rest) throws Exception {
    String url = "http://www.example/small/7";
    JsonNode shown = Admin.json(store(rest, "show", url, "--json").orFail().out());
    JsonNode place = shown.at("/targets/0/objects/0/inMemory");
    JsonNode map = Admin.json(store(rest, "map", "--json").orFail().out());
    long at =
        TIER_HEADER
            + place.path("region").asLong(0) * map.at("/tiers/0/regionBytes").asLong(0)
            + place.path("offset").asLong(0)
            + place.path("recordBytes").asLong(0)
            - 1;
    Path tier = edge.memory().resolve("memory.tier");
    try (FileChannel channel =
        FileChannel.open(tier, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      assertEquals(1, channel.read(one, at));
      one.put(0, (byte) ~one.get(0));
      assertEquals(1, channel.write(one.flip(), at));
    }
    Commands.Finished found = store(rest, "verify", "--json");
    assertEquals(1, found.exit(), found::toString);
    JsonNode status = Admin.json(found.out());
    assertEquals(1, status.path("bad").asInt(0), found::toString);
    assertEquals("http://www.example:80/small/7", status.at("/flaws/0/key").asString(""));
    Commands.Finished told = store(rest, "verify");
    assertEquals(1, told.exit(), told::toString);
    assertTrue(told.out().contains(url + ": checksum mismatch"), told.out());
  }
}
