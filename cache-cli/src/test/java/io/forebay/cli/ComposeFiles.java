package io.forebay.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** What a file of {@code docker} for compose says, with the services that others extend. */
final class ComposeFiles {
  static final Path FOLDER = Path.of("..", "docker");

  private static final Pattern SETTING = Pattern.compile("\\$\\{([A-Z0-9_]+):-([^}]*)}");
  private static final YAMLMapper YAML = new YAMLMapper();

  private final Map<String, Service> services = new TreeMap<>();
  private final String text;

  /** A service, and the one that it extends. */
  record Service(JsonNode own, JsonNode base) {

    /** Items of a list; those of the extended service come first. */
    List<String> list(String name) {
      List<String> items = new ArrayList<>();
      for (JsonNode node : List.of(base, own)) {
        node.path(name).forEach(item -> items.add(item.asString()));
      }
      return items;
    }

    /** A value, the service's own before that of the extended one. */
    JsonNode value(String name) {
      return own.has(name) ? own.path(name) : base.path(name);
    }

    Set<String> profiles() {
      return new TreeSet<>(list("profiles"));
    }

    /** Names of services, with the condition that each has to meet. */
    Map<String, String> dependencies() {
      Map<String, String> all = new LinkedHashMap<>();
      own.path("depends_on")
          .properties()
          .forEach(entry -> all.put(entry.getKey(), entry.getValue().path("condition").asString()));
      return all;
    }

    boolean isEdge() {
      return own.path("extends").path("service").asString("").equals("edge");
    }
  }

  private ComposeFiles(String text) {
    this.text = text;
  }

  static ComposeFiles read(String file) throws Exception {
    String compose = Files.readString(FOLDER.resolve(file));
    String edge = Files.readString(FOLDER.resolve("edge.yaml"));
    ComposeFiles files = new ComposeFiles(compose + edge);
    JsonNode base = YAML.readTree(edge).path("services").path("edge");
    JsonNode none = YAML.createObjectNode();
    YAML.readTree(compose)
        .path("services")
        .properties()
        .forEach(entry ->
            files.services.put(
                entry.getKey(),
                new Service(entry.getValue(), entry.getValue().has("extends") ? base : none)));
    return files;
  }

  Map<String, Service> services() {
    return services;
  }

  /** One that must be there. */
  Service service(String name) {
    Service service = services.get(name);
    if (service == null) {
      throw new AssertionError("no service " + name);
    }
    return service;
  }

  Set<String> profiles() {
    Set<String> all = new TreeSet<>();
    services.values().forEach(service -> all.addAll(service.profiles()));
    return all;
  }

  /** Defaults of settings as the files name them; a setting with two of them has both. */
  Map<String, Set<String>> defaults() {
    Map<String, Set<String>> all = new TreeMap<>();
    for (MatchResult found : SETTING.matcher(text).results().toList()) {
      all.computeIfAbsent(found.group(1), name -> new TreeSet<>()).add(found.group(2));
    }
    return all;
  }

  /** The settings of {@code .env}. */
  static Map<String, String> environment() throws Exception {
    Map<String, String> all = new TreeMap<>();
    try (Stream<String> lines = Files.lines(FOLDER.resolve(".env"))) {
      lines
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .forEach(line ->
              all.put(line.substring(0, line.indexOf('=')), line.substring(line.indexOf('=') + 1)));
    }
    return all;
  }

  /** A text with all settings at their defaults. */
  static String withDefaults(String value) {
    return SETTING.matcher(value).replaceAll(found -> found.group(2));
  }
}
