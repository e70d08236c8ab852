package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.forebay.server.config.ConfigEnvironment;
import io.forebay.server.config.ConfigLoader;
import io.forebay.server.config.ConfigOutcome;
import io.forebay.server.config.ServerConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfiguredDisksTest {
  private static final long MEBI = 1 << 20;
  private static final long GIBI = 1 << 30;

  @TempDir Path dir;

  private ServerConfig config(String stores) throws Exception {
    Path file =
        Files.writeString(
            dir.resolve("forebay.yaml"),
            """
            origins: {o: {url: "http://127.0.0.1:9"}}
            store: {data: "%s"}
            stores: {%s}
            """
                .formatted(dir, stores));
    return assertInstanceOf(
            ConfigOutcome.Loaded.class,
            new ConfigLoader(ConfigEnvironment.system()).load(file, Map.of()))
        .config();
  }

  private static long ofFirst(ServerConfig config, long memoryBytes) {
    return ConfiguredDisks.transitBytes(config.stores().getFirst(), config, memoryBytes);
  }

  private String disk(String name, String more) {
    return "%s: {path: \"%s\", size: 1GiB%s}".formatted(name, dir.resolve(name), more);
  }

  @Test
  void transitBuffersOfAllDisksTogetherAreAShareOfTheMemory() throws Exception {
    ServerConfig one = config(disk("a", ""));
    assertEquals(768 * MEBI, ofFirst(one, 24 * GIBI));
    ServerConfig four =
        config(String.join(", ", disk("a", ""), disk("b", ""), disk("c", ""), disk("d", "")));
    assertEquals(192 * MEBI, ofFirst(four, 24 * GIBI));
  }

  @Test
  void aDiskHasBetween64MiBAnd1GiBOfThem() throws Exception {
    ServerConfig one = config(disk("a", ", transit-buffers: auto"));
    assertEquals(64 * MEBI, ofFirst(one, GIBI));
    assertEquals(64 * MEBI, ofFirst(one, 0));
    assertEquals(GIBI, ofFirst(one, 512 * GIBI));
  }

  @Test
  void aSizeThatIsConfiguredHolds() throws Exception {
    assertEquals(MEBI, ofFirst(config(disk("a", ", transit-buffers: 1MiB")), 24 * GIBI));
    assertEquals(0, ofFirst(config(disk("a", ", transit-buffers: 0")), 24 * GIBI));
  }
}
