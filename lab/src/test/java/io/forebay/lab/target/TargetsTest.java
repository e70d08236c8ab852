package io.forebay.lab.target;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class TargetsTest {
  private static TargetSpec spec(String directory, String origin) {
    return new TargetSpec(
        Path.of(directory), URI.create(origin), 1 << 20, 0, 1, null, -1, null, false);
  }

  @Test
  void areNamedAsInPeers() {
    assertEquals(
        List.of("forebay", "nginx", "ats", "varnish", "haproxy"),
        Targets.all().stream().map(Target::name).toList());
    assertEquals("ats", Targets.named("ats").name());
  }

  @Test
  void anUnknownNameIsToldWithThoseThatThereAre() {
    IllegalArgumentException unknown =
        assertThrows(IllegalArgumentException.class, () -> Targets.named("squid"));
    String told = String.valueOf(unknown.getMessage());
    assertTrue(told.contains("'squid'; known are forebay, nginx, ats"), told);
  }

  @Test
  void pathsThatWouldBeSyntaxAreRefused() {
    TargetSpec spec = spec("/tmp/a b;c", "http://127.0.0.1:9000");
    assertThrows(
        IllegalArgumentException.class,
        () ->
            StartedTarget.start(
                spec,
                group -> {
                  throw new AssertionError("started");
                }));
  }

  @Test
  void onlyAPlainOriginIsTaken() {
    assertThrows(IllegalArgumentException.class, () -> spec("/tmp/a", "https://127.0.0.1:1"));
    assertThrows(IllegalArgumentException.class, () -> spec("/tmp/a", "http:/nowhere"));
    assertEquals("origin:80", spec("/tmp/a", "http://origin").originAddress());
  }

  @Test
  void placesAreWordsBeforeTheCommand() {
    TargetSpec both =
        new TargetSpec(
            Path.of("/tmp/a"),
            URI.create("http://127.0.0.1:9000"),
            1,
            0,
            0,
            "0-1,4",
            0,
            null,
            false);
    assertEquals(List.of("taskset", "-c", "0,1,4"), Placement.prefix(both, 1));
    assertEquals(3, both.threads());
    assertEquals(List.of(), Placement.prefix(spec("/tmp/a", "http://127.0.0.1:9000"), 2));
  }

  @Test
  void versionsAreReadFromWhatProgramsSay() throws Exception {
    assertEquals("1.22.1", Programs.version("nginx version: nginx/1.22.1\n"));
    assertEquals("9.2.9", Programs.version("Traffic Server 9.2.9 Apr  4 2026 14:52:39 localhost"));
    assertEquals("7.1.1", Programs.version("varnishd (varnish-7.1.1 revision 7cee1c58)\n"));
    assertEquals(
        "2.6.12-1+deb12u4",
        Programs.version("HAProxy version 2.6.12-1+deb12u4 2026/10/17 - https://haproxy.org/"));
  }
}
