package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Commands;
import io.forebay.testing.Jar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script at the root of the source tree. */
final class LauncherIT {
  private static final String TOOLS = "/usr/bin:/bin";

  @TempDir private Path directory;
  private Path newPlace;
  private Path oldJdk;

  @BeforeEach
  void makeJdks() throws IOException {
    jdk("new", "25.0.1", "exec '" + Jar.java() + "' \"$@\"");
    newPlace = directory.resolve("jdks-new");
    oldJdk = jdk("old", "17.0.2", "echo must not run; exit 99");
  }

  @Test
  void findsTheJdkThatIsNewEnough() throws Exception {
    Commands.Finished ended = launcher().env("JAVA_HOME", oldJdk.toString()).run("--version");

    assertEquals(0, ended.exit(), ended.err());
    assertEquals("", ended.err());
    assertTrue(ended.out().startsWith("forebay "), ended.out());
  }

  @Test
  void takesJavaHomeFirst() throws Exception {
    Path marked = jdk("marked", "26", "echo the marked one");

    Commands.Finished ended = launcher().env("JAVA_HOME", marked.toString()).run("--version");

    assertEquals("the marked one\n", ended.out());
  }

  @Test
  void withoutAJdkItSaysWhatItFoundAndWhatIsNeeded() throws Exception {
    Commands.Finished ended =
        launcher()
            .env("JAVA_HOME", oldJdk.toString())
            .env("FOREBAY_JDK_PATH", directory.resolve("nothing").toString())
            .env("PATH", toolsWithoutJava().toString())
            .run("serve");

    assertEquals(69, ended.exit());
    assertEquals(1, ended.errLines().size(), ended.err());
    assertTrue(ended.err().contains("a JDK 25 or newer is needed"), ended.err());
    assertTrue(ended.err().contains("found 17 in " + oldJdk), ended.err());
  }

  @Test
  void passesArgumentsAndOptionsAsTheyAre() throws Exception {
    Path echo = jdk("echo", "25", "printf '<%s>' \"$@\"");

    Commands.Finished ended =
        launcher()
            .env("JAVA_HOME", echo.toString())
            .env("FOREBAY_JAVA_OPTS", "-Xmx64m -Dx=y")
            .run("purge", "http://a/with space", "--tag", "*", "");

    assertTrue(ended.out().contains("<--sun-misc-unsafe-memory-access=allow>"), ended.out());
    assertTrue(ended.out().contains("<-Xmx64m><-Dx=y>"), ended.out());
    assertTrue(ended.out().endsWith("<purge><http://a/with space><--tag><*><>"), ended.out());
  }

  @Test
  void takesTheCollectorThatIsAskedForInsteadOfItsOwn() throws Exception {
    Path echo = jdk("echo", "25", "printf '<%s>' \"$@\"");

    Commands.Finished own = launcher().env("JAVA_HOME", echo.toString()).run("serve");
    Commands.Finished asked =
        launcher()
            .env("JAVA_HOME", echo.toString())
            .env("FOREBAY_JAVA_OPTS", "-Xmx1g -XX:+UseG1GC")
            .run("serve");

    assertTrue(own.out().contains("<-XX:+UseSerialGC>"), own.out());
    assertFalse(asked.out().contains("UseSerialGC"), asked.out());
    assertTrue(asked.out().contains("<-Xmx1g><-XX:+UseG1GC>"), asked.out());
  }

  @Test
  void usesAnAotCacheThatIsNoOlderThanTheJar() throws Exception {
    Path echo = jdk("echo", "25", "printf '<%s>' \"$@\"");
    Path cache = Files.writeString(directory.resolve("cache.aot"), "classes");
    FileTime built = Files.getLastModifiedTime(Jar.file());
    Jar launcher =
        launcher().env("JAVA_HOME", echo.toString()).env("FOREBAY_AOT_CACHE", cache.toString());

    Files.setLastModifiedTime(cache, FileTime.fromMillis(built.toMillis() + 1000));
    assertTrue(launcher.run("serve").out().contains("<-XX:AOTCache=" + cache + ">"));
    assertFalse(launcher.run("aot").out().contains("AOTCache"));

    Files.setLastModifiedTime(cache, FileTime.fromMillis(built.toMillis() - 1000));
    assertFalse(launcher.run("serve").out().contains("AOTCache"));

    launcher.env("FOREBAY_AOT_CACHE", "off");
    assertFalse(launcher.run("serve").out().contains("AOTCache"));
  }

  @Test
  void runsWithoutAWordWhereTheAotCacheIsNotOne() throws Exception {
    Path cache = Files.writeString(directory.resolve("cache.aot"), "classes");
    FileTime built = Files.getLastModifiedTime(Jar.file());
    Files.setLastModifiedTime(cache, FileTime.fromMillis(built.toMillis() + 1000));

    Commands.Finished ended =
        launcher().env("FOREBAY_AOT_CACHE", cache.toString()).run("--version");

    assertEquals(0, ended.exit(), ended.err());
    assertEquals("", ended.err());
    assertTrue(ended.out().startsWith("forebay "), ended.out());
  }

  @Tag("full")
  @Test
  void buildsTheJarOnceWhenItIsMissing() throws Exception {
    Path checkout = Files.createDirectory(directory.resolve("a checkout"));
    Path script = Files.copy(Jar.launcher(), checkout.resolve("forebay"));
    script(
        "bin/mvn",
        "echo \"$@\" >> '"
            + directory
            + "/built'; mkdir -p cache-cli/target && cp '"
            + Jar.file()
            + "' cache-cli/target/forebay.jar");
    String path = directory.resolve("bin") + ":" + TOOLS;
    for (int run = 0; run < 2; run++) {
      Commands.Finished ended =
          Jar.command("sh", script.toString())
              .env("FOREBAY_JDK_PATH", newPlace.toString())
              .env("PATH", path)
              .run("--version");
      assertEquals(0, ended.exit(), ended.err());
      assertEquals(run == 0 ? 1 : 0, ended.errLines().size(), ended.err());
    }
    assertEquals(1, Files.readAllLines(directory.resolve("built")).size());
  }

  @Test
  void theLabRunsFromAJarOfItsOwnThatIsBuiltOnce() throws Exception {
    Path checkout = Files.createDirectory(directory.resolve("a checkout"));
    Path script = Files.copy(Jar.launcher(), checkout.resolve("forebay"));
    Path echo = jdk("echo", "25", "printf '<%s>' \"$@\"");
    // The module is the word behind -pl.
    script(
        "bin/mvn",
        "while [ \"$1\" != -pl ]; do shift; done; echo \"$2\" >> '"
            + directory
            + "/built'; mkdir -p \"$2/target\";"
            + " touch cache-cli/target/forebay.jar lab/target/forebay-lab.jar 2> /dev/null; true");
    Jar launcher =
        Jar.command("sh", script.toString())
            .env("JAVA_HOME", echo.toString())
            .env("PATH", directory.resolve("bin") + ":" + TOOLS);

    Commands.Finished first = launcher.run("lab", "run", "one-byte", "a b");
    Commands.Finished second = launcher.env("FOREBAY_JAR", "other.jar").run("lab", "list");

    assertEquals(0, first.exit(), first.err());
    assertTrue(
        first
            .out()
            .endsWith("<-jar><" + checkout + "/lab/target/forebay-lab.jar><run><one-byte><a b>"),
        first.out());
    assertTrue(second.out().endsWith("forebay-lab.jar><list>"), second.out());
    assertEquals("cache-cli lab", String.join(" ", Files.readAllLines(directory.resolve("built"))));
  }

  @Test
  void runsThroughALinkFromElsewhere() throws Exception {
    Path link = Files.createSymbolicLink(directory.resolve("link"), Jar.launcher());

    Commands.Finished ended =
        Jar.command(link.toString())
            .env("FOREBAY_JDK_PATH", newPlace.toString())
            .env("PATH", TOOLS)
            .run("--version");

    Files.delete(link);
    assertEquals(0, ended.exit(), ended.err());
  }

  private Jar launcher() {
    return Jar.command(Jar.launcher().toString())
        .env("JAVA_HOME", "")
        .env("FOREBAY_JDK_PATH", newPlace.toString())
        .env("PATH", TOOLS);
  }

  private Path jdk(String name, String version, String java) throws IOException {
    script("jdks-" + name + "/" + name + "/bin/java", java);
    script("jdks-" + name + "/" + name + "/bin/javac", "exit 1");
    Path home = directory.resolve("jdks-" + name).resolve(name);
    Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
    return home;
  }

  /** What the script calls, without whatever Java lies beside it. */
  private Path toolsWithoutJava() throws IOException {
    Path tools = directory.resolve("tools");
    for (String tool : new String[] {"dirname", "readlink", "sed", "head"}) {
      script("tools/" + tool, "PATH=" + TOOLS + " exec " + tool + " \"$@\"");
    }
    return tools;
  }

  private void script(String name, String body) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/bin/sh\n" + body + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
