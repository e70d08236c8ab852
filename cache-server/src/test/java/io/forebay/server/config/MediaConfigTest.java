package io.forebay.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.route.MediaSettings;
import io.forebay.core.route.MediaSettings.Preset;
import io.forebay.core.route.NegativeTtl;
import io.forebay.core.route.RouteSettings;
import io.forebay.server.config.ServerConfig.RouteConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a preset for media sets of a route, and what it leaves alone. */
final class MediaConfigTest {
  @TempDir Path directory;

  private RouteConfig route(String route, String more) throws IOException {
    Path file = directory.resolve("forebay.yaml");
    Files.writeString(file, "origin: http://127.0.0.1:9\nroutes: [{" + route + "}]\n" + more);
    ConfigOutcome outcome = new ConfigLoader(ConfigEnvironment.system()).load(file, Map.of());
    return assertInstanceOf(ConfigOutcome.Loaded.class, outcome, outcome::toString)
        .config()
        .routes()
        .getFirst();
  }

  private String disks() {
    return "stores: {d: {path: \"" + directory + "/disk\", size: 1GiB}}\n";
  }

  @Test
  void aRouteWithoutAPresetIsAsItWas() throws IOException {
    RouteSettings settings = route("cache: true", disks()).settings();
    assertEquals(MediaSettings.NONE, settings.media());
    assertEquals(RouteSettings.DEFAULT, settings);
  }

  @Test
  void liveStaysInMemoryAndRemembersWhatIsMissingForASecond() throws IOException {
    RouteConfig route = route("media: live", disks());
    assertEquals(new MediaSettings(Preset.LIVE, true), route.settings().media());
    assertEquals("memory", route.settings().storageClass());
    assertEquals(
        new NegativeTtl(Map.of(404, Duration.ofSeconds(1))),
        route.settings().freshness().negativeTtl());
    assertTrue(route.settings().freshness().boundsNotFound());
    assertEquals(Duration.ofSeconds(1), route.sharing().hitForMiss());
  }

  @Test
  void filmsComeToDisksWhereThereAreSome() throws IOException {
    assertEquals("vod", route("media: vod", disks()).settings().storageClass());
    RouteConfig route = route("media: vod", "");
    assertEquals("default", route.settings().storageClass());
    assertFalse(route.settings().freshness().boundsNotFound());
    assertEquals(Duration.ofMinutes(1), route.sharing().hitForMiss());
  }

  @Test
  void whatTheRouteSaysItselfHolds() throws IOException {
    RouteConfig route =
        route(
            "media: live, storage-class: default, negative-ttl: {404: 5s}, hit-for-miss: 9s,"
                + " default-ttl: 7s",
            disks());
    assertEquals(new MediaSettings(Preset.LIVE, false), route.settings().media());
    assertEquals("default", route.settings().storageClass());
    assertEquals(
        new NegativeTtl(Map.of(404, Duration.ofSeconds(5))),
        route.settings().freshness().negativeTtl());
    assertEquals(Duration.ofSeconds(9), route.sharing().hitForMiss());
    assertFalse(route("media: vod, ttl-override: 7s", disks()).settings().media().timesManifests());
  }

  @Test
  void aClassNamedVodOfOnesOwnGoesBeforeTheBuiltInOne() throws IOException {
    RouteConfig route = route("storage-class: vod", "storage-classes: {vod: {tier: memory}}\n");
    assertEquals("vod", route.settings().storageClass());
  }
}
