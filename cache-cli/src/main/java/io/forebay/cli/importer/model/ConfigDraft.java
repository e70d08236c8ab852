package io.forebay.cli.importer.model;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The configuration that an import builds, in the order in which it is written. */
public final class ConfigDraft {
  private final Map<Integer, Map<String, Object>> listeners = new TreeMap<>();
  private final Map<String, Map<String, Object>> certificates = new LinkedHashMap<>();
  private final Map<String, Object> origins = new LinkedHashMap<>();
  private final Map<Object, String> namesOfOrigins = new LinkedHashMap<>();
  private final Map<String, Object> protections = new LinkedHashMap<>();
  private final Map<String, Object> stores = new LinkedHashMap<>();
  private final List<Map<String, Object>> routes = new ArrayList<>();
  private final Map<String, Object> settings = new LinkedHashMap<>();

  /** The listener on a port, made if there is none. */
  public Map<String, Object> listener(int port) {
    return listeners.computeIfAbsent(
        port, number -> new LinkedHashMap<>(Map.of("address", ":" + number)));
  }

  /** All listeners, by their ports. */
  public List<Map<String, Object>> listeners() {
    return List.copyOf(listeners.values());
  }

  /** Adds a certificate unless another one has the name. */
  public void certificate(String name, Map<String, Object> settingsOfIt) {
    certificates.putIfAbsent(name, settingsOfIt);
  }

  /**
   * The name of an origin with these settings: of one that is there, or of a new one.
   *
   * @param wish what it is called if nothing else is
   */
  public String origin(String wish, Map<String, Object> settingsOfIt) {
    String known = namesOfOrigins.get(settingsOfIt);
    if (known != null) {
      return known;
    }
    String name = free(wish, origins);
    origins.put(name, settingsOfIt);
    namesOfOrigins.put(settingsOfIt, name);
    return name;
  }

  /** The name of a protection with these settings. */
  public String protection(String wish, Map<String, Object> settingsOfIt) {
    for (Map.Entry<String, Object> each : protections.entrySet()) {
      if (each.getValue().equals(settingsOfIt)) {
        return each.getKey();
      }
    }
    String name = free(wish, protections);
    protections.put(name, settingsOfIt);
    return name;
  }

  public void store(String name, Map<String, Object> settingsOfIt) {
    stores.putIfAbsent(name, settingsOfIt);
  }

  public void route(Map<String, Object> route) {
    routes.add(route);
  }

  /** A setting that is one of the node too stands there if all routes have it alike. */
  public void share(String name) {
    Object value = routes.isEmpty() ? null : routes.getFirst().get(name);
    if (value != null && routes.stream().allMatch(route -> value.equals(route.get(name)))) {
      setting(name, value);
      routes.forEach(route -> route.remove(name));
    }
  }

  /** A setting at the top level, such as {@code limits}. */
  public void setting(String name, Object value) {
    settings.put(name, value);
  }

  private static String free(String wish, Map<String, ?> taken) {
    String name = nameOf(wish);
    for (int number = 2; taken.containsKey(name); number++) {
      name = nameOf(wish) + "-" + number;
    }
    return name;
  }

  /** A text as the name of something in the configuration. */
  public static String nameOf(String text) {
    String name = text.replaceAll("[^A-Za-z0-9_-]+", "-").replaceAll("^-+|-+$", "");
    return name.isEmpty() ? "site" : name.substring(0, Math.min(48, name.length()));
  }

  /** Whether there is anything to serve. */
  public boolean isEmpty() {
    return routes.isEmpty();
  }

  /** The configuration as YAML. */
  public String yaml() {
    Map<String, Object> document = new LinkedHashMap<>();
    if (!listeners.isEmpty()) {
      document.put("listen", List.copyOf(listeners.values()));
    }
    put(document, "certificates", certificates);
    document.putAll(settings);
    put(document, "stores", stores);
    put(document, "origins", origins);
    put(document, "protection", protections);
    if (!routes.isEmpty()) {
      document.put("routes", routes);
    }
    return YamlText.of(document);
  }

  private static void put(Map<String, Object> document, String key, Map<String, ?> values) {
    if (!values.isEmpty()) {
      document.put(key, values);
    }
  }
}
