package io.forebay.server.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.plugin.PluginConfig;
import io.forebay.server.counters.PluginCounters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jars that are plugins, and jars that are not. */
final class PluginSetTest {
  private static final String API = "import io.forebay.plugin.*;\n";

  @TempDir Path directory;
  private final List<String> problems = new ArrayList<>();

  private PluginSet load() {
    return PluginSet.load(
        directory, Duration.ofSeconds(10), name -> new PluginCounters(), problems::add);
  }

  private Path jar(String name) {
    return directory.resolve(name);
  }

  private static String plugin(String type, String name, String body) {
    return API
        + "@PluginInfo(name = \"NAME\", api = Plugin.API_VERSION)\n".replace("NAME", name)
        + "public class "
        + type
        + " implements Plugin {\n"
        + body
        + "}\n";
  }

  private static final String HANDLER =
      "public Handler handler(PluginConfig c) { return (RequestPhase) r -> RequestDecision.proceed(); }\n";

  private String onlyProblem() {
    try (PluginSet set = load()) {
      assertTrue(set.isIncomplete());
    }
    assertEquals(1, problems.size(), problems::toString);
    return problems.getFirst();
  }

  @Test
  void allJarsAreLoadedAndOtherFilesAreNot() throws IOException {
    PluginJars.write(jar("a.jar"), plugin("A", "one", HANDLER));
    PluginJars.write(jar("b.jar"), plugin("B", "two", HANDLER));
    Files.writeString(jar("README"), "no jar");
    try (PluginSet set = load()) {
      assertEquals(List.of(), problems);
      assertEquals(Set.of("one", "two"), set.names());
    }
  }

  @Test
  void theHashChangesWithTheContentOfAJar() throws IOException {
    PluginJars.write(jar("a.jar"), plugin("A", "one", HANDLER));
    String first;
    try (PluginSet set = load()) {
      first = set.hash();
    }
    try (PluginSet set = load()) {
      assertEquals(first, set.hash());
    }
    PluginJars.write(jar("a.jar"), plugin("A", "one", HANDLER + "int more;\n"));
    try (PluginSet set = load()) {
      assertTrue(!first.equals(set.hash()));
    }
  }

  @Test
  void aMissingDirectoryIsAProblem() {
    try (PluginSet set =
        PluginSet.load(
            jar("none"), Duration.ofSeconds(10), name -> new PluginCounters(), problems::add)) {
      assertTrue(set.isIncomplete());
    }
    assertEquals(List.of(jar("none") + " is not a directory"), problems);
  }

  @Test
  void aFileThatIsNoJarIsAProblem() throws IOException {
    Files.writeString(jar("a.jar"), "this is text");
    assertTrue(onlyProblem().startsWith("a.jar: is not a jar file: "), problems::toString);
  }

  @Test
  void aJarWithoutServiceFileIsAProblem() throws IOException {
    PluginJars.pack(jar("a.jar"), PluginJars.compiled(plugin("A", "one", HANDLER)));
    assertEquals(
        "a.jar: has no plugin: META-INF/services/io.forebay.plugin.Plugin must name its class",
        onlyProblem());
  }

  @Test
  void aServiceFileThatNamesAClassThatIsNotThereIsAProblem() throws IOException {
    PluginJars.pack(
        jar("a.jar"),
        Map.of("META-INF/services/io.forebay.plugin.Plugin", PluginJars.bytes("com.example.Gone")));
    assertTrue(onlyProblem().contains("com.example.Gone"), problems::toString);
  }

  @Test
  void aClassOfANewerVersionOfJavaIsAProblem() throws IOException {
    Path jar = jar("a.jar");
    Map<String, byte[]> entries = PluginJars.compiled(plugin("A", "one", HANDLER));
    entries.computeIfPresent(
        "A.class",
        (name, content) -> {
          content[6] = 0x7f;
          return content;
        });
    entries.put("META-INF/services/io.forebay.plugin.Plugin", PluginJars.bytes("A"));
    PluginJars.pack(jar, entries);
    String problem = onlyProblem();
    assertTrue(problem.startsWith("a.jar: ") && problem.contains("more recent version"), problem);
    assertTrue(problem.endsWith("compile it with --release " + Runtime.version().feature()));
  }

  @Test
  void twoPluginsOfOneNameAreAProblem() throws IOException {
    PluginJars.write(jar("a.jar"), plugin("A", "one", HANDLER));
    PluginJars.write(jar("b.jar"), plugin("B", "one", HANDLER));
    assertEquals("b.jar: plugin one is in a.jar too; keep one of them", onlyProblem());
  }

  @Test
  void aClassThatIsNotInTheJarIsAProblem() throws IOException {
    String needed = "public class Needed { }\n";
    String needs = plugin("A", "one", HANDLER + "public A() { new Needed(); }\n");
    Map<String, byte[]> entries = PluginJars.compiled(needs, needed);
    entries.remove("Needed.class");
    entries.put("META-INF/services/io.forebay.plugin.Plugin", PluginJars.bytes("A"));
    PluginJars.pack(jar("a.jar"), entries);
    assertEquals(
        "a.jar: needs class Needed: a plugin sees its own jar, the plugin API and the JDK; put it"
            + " into the jar",
        onlyProblem());
  }

  @Test
  void theClassesOfTheNodeAreNotSeen() throws IOException {
    PluginJars.write(
        jar("a.jar"),
        plugin(
            "A",
            "one",
            HANDLER
                + """
                public A() throws Exception {
                  Class.forName("io.netty.buffer.ByteBuf");
                }
                """));
    assertTrue(
        onlyProblem().startsWith("a.jar: needs class io.netty.buffer.ByteBuf: "),
        problems::toString);
  }

  @Test
  void aConstructorThatThrowsIsAProblem() throws IOException {
    PluginJars.write(
        jar("a.jar"),
        plugin(
            "A",
            "one",
            HANDLER + "public A() { throw new IllegalStateException(\"no licence\"); }\n"));
    assertEquals(
        "a.jar: fails when it is loaded: java.lang.IllegalStateException: no licence",
        onlyProblem());
  }

  @Test
  void aPluginForAnotherVersionOfTheApiIsAProblem() throws IOException {
    PluginJars.write(jar("a.jar"), plugin("A", "one", HANDLER).replace("Plugin.API_VERSION", "99"));
    assertEquals(
        "a.jar: class A was compiled against version 99 of the plugin API, and this node has"
            + " version 1",
        onlyProblem());
  }

  @Test
  void aPluginWithoutNameIsAProblem() throws IOException {
    PluginJars.write(jar("a.jar"), API + "public class A implements Plugin {\n" + HANDLER + "}\n");
    assertEquals("a.jar: class A has no @PluginInfo", onlyProblem());
  }

  @Test
  void aJarThatEverybodyMayWriteToIsAProblem() throws IOException {
    PluginJars.write(jar("a.jar"), plugin("A", "one", HANDLER));
    Files.setPosixFilePermissions(jar("a.jar"), PosixFilePermissions.fromString("rw-r--rw-"));
    assertEquals("a.jar: can be written by everybody on this machine: chmod o-w", onlyProblem());
  }

  /** Resources come from the jar, and the file is not needed any more. */
  @Test
  void aJarIsReadWhole() throws Exception {
    Map<String, byte[]> entries =
        PluginJars.compiled(
            plugin(
                "A",
                "one",
                """
                public Handler handler(PluginConfig c) {
                  try (var in = A.class.getResourceAsStream("/words.txt")) {
                    String text = new String(in.readAllBytes());
                    return new Later(text);
                  } catch (java.io.IOException e) {
                    throw new java.io.UncheckedIOException(e);
                  }
                }
                """),
            API
                + """
                public class Later implements RequestPhase {
                  Later(String text) {
                    if (!text.equals("hello")) throw new IllegalStateException(text);
                  }
                  public RequestDecision onRequest(ClientRequest r) { return null; }
                }
                """);
    entries.put("META-INF/services/io.forebay.plugin.Plugin", PluginJars.bytes("A"));
    entries.put("words.txt", PluginJars.bytes("hello"));
    PluginJars.pack(jar("a.jar"), entries);
    try (PluginSet set = load()) {
      assertEquals(List.of(), problems);
      Files.write(jar("a.jar"), new byte[10]);
      assertEquals("one", set.use("one", new PluginConfig(Map.of()), false, Set.of()).name());
    }
  }

  @Test
  void aHandlerThatCannotBeMadeSaysWhy() throws Exception {
    PluginJars.write(
        jar("a.jar"),
        plugin("A", "nothing", "public Handler handler(PluginConfig c) { return null; }\n"));
    PluginJars.write(
        jar("b.jar"),
        plugin(
            "B",
            "phaseless",
            "public Handler handler(PluginConfig c) { return new Handler() {}; }\n"));
    PluginJars.write(
        jar("c.jar"),
        plugin(
            "C",
            "throwing",
            "public Handler handler(PluginConfig c) { throw new IllegalStateException(\"x\"); }\n"));
    try (PluginSet set = load()) {
      assertEquals(List.of(), problems);
      assertEquals("made no handler", refusal(set, "nothing"));
      assertTrue(refusal(set, "phaseless").startsWith("its handler has no phase: "));
      assertEquals(
          "failed to make a handler: java.lang.IllegalStateException: x", refusal(set, "throwing"));
    }
  }

  private static String refusal(PluginSet set, String name) {
    return String.valueOf(
        assertThrows(
                PluginLoadException.class,
                () -> set.use(name, new PluginConfig(Map.of()), false, Set.of()))
            .getMessage());
  }
}
