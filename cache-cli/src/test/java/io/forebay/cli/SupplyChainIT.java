package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Commands;
import io.forebay.testing.Jar;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The contents of the jar, and that nothing else can get into it. */
final class SupplyChainIT {
  private static final Path BUILD = checkout().resolve("build");
  private static final Path SUMS = BUILD.resolve("dependencies.sha256");

  @TempDir Path directory;

  @Test
  void theJarListsItsLibrariesWithTheSumsThatTheBuildHasVerified() throws IOException {
    Set<String> verified =
        Files.readAllLines(SUMS).stream()
            .map(line -> line.substring(0, line.indexOf(' ')))
            .collect(Collectors.toSet());
    Set<String> names = new TreeSet<>();
    for (JsonNode component : components()) {
      if (component.path("group").asString().equals("io.forebay")) {
        continue;
      }
      names.add(component.path("name").asString());
      assertTrue(verified.contains(sha256(component)), "not verified: " + component.path("purl"));
    }

    assertTrue(
        names.containsAll(Set.of("netty-handler", "chronicle-map", "jna", "picocli")),
        names::toString);
    assertFalse(names.contains("junit-jupiter"), "a library of the tests: " + names);
  }

  @Tag("full")
  @Test
  void aJarWithAnotherSumEndsTheBuild() throws Exception {
    Path jar = Files.writeString(directory.resolve("a-library-1.0.jar"), "one");
    Path sums = directory.resolve("sums");
    assertEquals(0, run("write", sums, jar).exit());
    assertEquals(0, run("verify", sums, jar).exit());

    Files.writeString(jar, "two");

    for (String mode : List.of("verify", "write")) {
      Commands.Finished ended = run(mode, sums, jar);
      assertEquals(1, ended.exit(), ended::err);
      assertTrue(ended.err().contains("a-library-1.0.jar has the SHA-256"), ended::err);
    }
  }

  @Test
  void aJarThatIsNotListedEndsTheBuild() throws Exception {
    Path jar = Files.writeString(directory.resolve("a-library-1.0.jar"), "one");

    Commands.Finished ended = run("verify", directory.resolve("sums"), jar);

    assertEquals(1, ended.exit(), ended::err);
    assertTrue(ended.err().contains("a-library-1.0.jar is not listed"), ended::err);
    assertTrue(ended.err().contains("-Ddependencies.checksums=write"), ended::err);
  }

  private static Commands.Finished run(String mode, Path sums, Path jar) throws Exception {
    return Jar.command(
            Jar.java().toString(),
            BUILD.resolve("VerifyDependencies.java").toString(),
            mode,
            sums.toString(),
            checkout().resolve("cache-core/target/classes") + File.pathSeparator + jar)
        .run();
  }

  private static Iterable<JsonNode> components() throws IOException {
    try (JarFile jar = new JarFile(Jar.file().toFile())) {
      var entry = jar.getEntry("META-INF/sbom/forebay.cdx.json");
      assertNotNull(entry, "an offline build (mvn -o) makes no bill of materials");
      return StreamSupport.stream(
              JsonMapper.shared()
                  .readTree(jar.getInputStream(entry))
                  .path("components")
                  .spliterator(),
              false)
          .toList();
    }
  }

  private static String sha256(JsonNode component) {
    for (JsonNode hash : component.path("hashes")) {
      if (hash.path("alg").asString().equals("SHA-256")) {
        return hash.path("content").asString();
      }
    }
    return "none";
  }

  private static Path checkout() {
    return Objects.requireNonNull(Jar.launcher().getParent());
  }
}
