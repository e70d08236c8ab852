package io.forebay.lab.scenario;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLFactory;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The scenarios that come with the lab, and those of users' own files. */
public final class Scenarios {
  private static final List<String> NAMES =
      List.of(
          "xeon6-live",
          "xeon6-vod",
          "intel-1",
          "intel-2",
          "intel-3",
          "intel-4",
          "att-kpis",
          "att-channels",
          "att-90-10",
          "one-byte",
          "flash-sizes");

  private static final long MAX_FILE_BYTES = 1 << 20;
  private static final YAMLMapper YAML =
      YAMLMapper.builder(
              YAMLFactory.builder()
                  .configure(StreamReadFeature.STRICT_DUPLICATE_DETECTION, true)
                  .build())
          .build();

  private Scenarios() {}

  /** Of the lab's own, in the order of the tests. */
  public static List<String> names() {
    return NAMES;
  }

  /**
   * A scenario with a profile applied.
   *
   * @param nameOrFile one of {@link #names()}, or a path with {@code /} or {@code .yaml}
   * @param cores of this machine, for {@code loops: each}
   * @throws ScenarioException where the file is wrong
   */
  public static Scenario read(String nameOrFile, Profile profile, int cores) throws IOException {
    return NAMES.contains(nameOrFile)
        ? parse(nameOrFile + ".yaml", resource(nameOrFile), profile, cores)
        : parse(nameOrFile, file(nameOrFile), profile, cores);
  }

  static Scenario parse(String source, String text, Profile profile, int cores) {
    ObjectNode tree = tree(source, text);
    Profiles.Applied applied = Profiles.apply(source, tree, profile);
    return new ScenarioBinder(source, profile, cores).bind(applied);
  }

  private static String resource(String name) throws IOException {
    try (@Nullable InputStream stream =
        Scenarios.class.getResourceAsStream("/scenarios/" + name + ".yaml")) {
      if (stream == null) {
        throw new IllegalStateException("the jar lacks scenarios/" + name + ".yaml");
      }
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static String file(String name) throws IOException {
    Path file = Path.of(name);
    boolean isPath = name.contains("/") || name.endsWith(".yaml") || name.endsWith(".yml");
    if (!isPath || !Files.isRegularFile(file)) {
      throw new ScenarioException(
          name
              + ": is no scenario and no file; write one of "
              + String.join(", ", NAMES)
              + ", or the path of a YAML file");
    }
    return text(file);
  }

  /** Of a file that a user wrote. */
  static String text(Path file) throws IOException {
    if (Files.size(file) > MAX_FILE_BYTES) {
      throw new ScenarioException(file + ": is larger than " + MAX_FILE_BYTES + " bytes");
    }
    return Files.readString(file);
  }

  static ObjectNode tree(String source, String text) {
    JsonNode tree;
    try {
      tree = YAML.readTree(text);
    } catch (JacksonException wrong) {
      TokenStreamLocation place = wrong.getLocation();
      throw new ScenarioException(
          source
              + (place == null ? "" : ":" + place.getLineNr() + ":" + place.getColumnNr())
              + ": not valid YAML: "
              + wrong.getOriginalMessage().lines().findFirst().orElse(""),
          wrong);
    }
    if (tree instanceof ObjectNode mapping) {
      return mapping;
    }
    throw new ScenarioException(source + ": must be a mapping; begin with name: and title:");
  }
}
