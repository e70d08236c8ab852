package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.testing.Commands;
import io.forebay.testing.Jar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The behaviour on a Java that is too old. */
@Tag("full")
final class JavaVersionIT {

  @Test
  void anOlderJavaIsToldInOneLine() throws Exception {
    List<Path> older = olderHomes();
    assumeTrue(!older.isEmpty(), "no older Java to try: apt-get install openjdk-17-jre-headless");
    for (Path home : older) {
      String java = home.resolve("bin/java").toString();
      Commands.Finished ended = Jar.command(java, "-jar", Jar.file().toString()).run("serve");

      assertEquals(69, ended.exit(), java + ": " + ended.err());
      assertEquals("", ended.out());
      assertEquals(1, ended.errLines().size(), ended.err());
      assertTrue(ended.err().contains("Java 25 or newer is needed"), ended.err());
      assertTrue(ended.err().contains("install"), ended.err());
    }
  }

  @Test
  void theMainClassLoadsOnJava8() throws IOException {
    try (var jar = new java.util.jar.JarFile(Jar.file().toFile());
        var main = jar.getInputStream(jar.getEntry("io/forebay/launch/Main.class"))) {
      byte[] head = main.readNBytes(8);
      assertEquals(52, head[7], "class file version");
    }
  }

  static List<Path> olderHomes() throws IOException {
    Path place = Path.of("/usr/lib/jvm");
    if (!Files.isDirectory(place)) {
      return List.of();
    }
    try (Stream<Path> homes = Files.list(place)) {
      return homes
          .filter(home -> !Files.isSymbolicLink(home))
          .filter(home -> Files.isExecutable(home.resolve("bin/java")))
          .filter(JavaVersionIT::isOlder)
          .toList();
    }
  }

  private static boolean isOlder(Path home) {
    try {
      return Files.readString(home.resolve("release"))
          .lines()
          .anyMatch(l -> l.matches("JAVA_VERSION=\"(1\\.8|9|1\\d|2[0-4])\\b.*"));
    } catch (IOException unknown) {
      return false;
    }
  }
}
