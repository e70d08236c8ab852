package io.forebay.server.plugin;

import io.forebay.plugin.Plugin;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** Compiles plugins against the API alone and puts them into jars. */
public final class PluginJars {
  private static final String SERVICES = "META-INF/services/" + Plugin.class.getName();

  /** What was compiled in this JVM: a run of the compiler takes longer than most tests. */
  private static final Map<List<String>, Map<String, byte[]>> COMPILED = new ConcurrentHashMap<>();

  private static final Pattern CLASS = Pattern.compile("(?:class|interface) (\\w+)");

  private PluginJars() {}

  /** A jar with the classes of some sources, the first of which is the plugin. */
  public static Path write(Path jar, String... sources) throws IOException {
    Map<String, byte[]> entries = compiled(sources);
    entries.put(SERVICES, bytes(name(sources[0])));
    return pack(jar, entries);
  }

  /** The classes of some sources by the names of their files; each in the package without name. */
  static Map<String, byte[]> compiled(String... sources) throws IOException {
    List<String> key = List.of(sources);
    Map<String, byte[]> known = COMPILED.get(key);
    if (known == null) {
      known = compile(sources);
      COMPILED.put(key, known);
    }
    Map<String, byte[]> own = new TreeMap<>(known);
    own.replaceAll((name, bytes) -> bytes.clone());
    return own;
  }

  private static Map<String, byte[]> compile(String... sources) throws IOException {
    Path directory = Files.createTempDirectory("plugin");
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "-proc:none",
                "-Xlint:none",
                "-nowarn",
                "-cp",
                api().toString(),
                "-d",
                directory.toString()));
    for (String source : sources) {
      Path file = directory.resolve(name(source) + ".java");
      Files.writeString(file, source);
      arguments.add(file.toString());
    }
    JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
    if (javac.run(null, null, null, arguments.toArray(String[]::new)) != 0) {
      throw new AssertionError("does not compile: " + String.join("\n", sources));
    }
    Map<String, byte[]> entries = new TreeMap<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        if (name.endsWith(".class")) {
          entries.put(name, Files.readAllBytes(file));
        }
        Files.delete(file);
      }
    }
    Files.delete(directory);
    return entries;
  }

  static Path pack(Path jar, Map<String, byte[]> entries) throws IOException {
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file)) {
      for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
        out.putNextEntry(new ZipEntry(entry.getKey()));
        out.write(entry.getValue());
        out.closeEntry();
      }
    }
    return jar;
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String name(String source) {
    Matcher matcher = CLASS.matcher(source);
    if (!matcher.find()) {
      throw new AssertionError(source);
    }
    return matcher.group(1);
  }

  /** The directory or jar that the API comes from. */
  private static Path api() {
    try {
      return Path.of(Plugin.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }
}
