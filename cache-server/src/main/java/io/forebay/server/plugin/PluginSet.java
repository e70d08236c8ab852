package io.forebay.server.plugin;

import io.forebay.plugin.Group;
import io.forebay.plugin.Handler;
import io.forebay.plugin.Plugin;
import io.forebay.plugin.PluginConfig;
import io.forebay.plugin.PluginConfigException;
import io.forebay.plugin.PluginContract;
import io.forebay.server.counters.PluginCounters;
import io.forebay.server.rule.Extension;
import io.forebay.server.text.Printable;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Collections;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The plugins of a directory, loaded for one configuration, and the handlers that its rules have.
 * Loading runs code of the plugins and takes as long as that; it is never done on an event loop.
 */
public final class PluginSet implements AutoCloseable {

  /** No plugins. */
  public static final PluginSet NONE = new PluginSet(Duration.ZERO, name -> new PluginCounters());

  private static final Logger LOG = LoggerFactory.getLogger(PluginSet.class);
  private static final int MAX_JARS = 64;
  private static final int MAX_CAUSES = 20;

  private final Duration budget;
  private final Function<String, PluginCounters> counters;
  private volatile Map<String, Loaded> plugins = Map.of();
  private String hash = "";
  private boolean isIncomplete;

  /** Null without plugins, and after {@link #retire}. */
  private volatile @Nullable Lease lease;

  private record Loaded(Plugin plugin, String jar) {}

  private PluginSet(Duration budget, Function<String, PluginCounters> counters) {
    this.budget = budget;
    this.counters = counters;
  }

  /**
   * Loads all jars of a directory.
   *
   * @param budget what a call may take
   * @param counters of a plugin, by its name
   * @param problem is told what is wrong, for an operator
   */
  public static PluginSet load(
      Path directory,
      Duration budget,
      Function<String, PluginCounters> counters,
      Consumer<String> problem) {
    PluginSet set = new PluginSet(budget, counters);
    MessageDigest digest = sha256();
    Map<String, Loaded> loaded = new TreeMap<>();
    try {
      PluginJar.requireOwned(directory);
      for (Path jar : jars(directory)) {
        set.add(loaded, jar, digest, problem);
      }
    } catch (NoSuchFileException | NotDirectoryException e) {
      set.isIncomplete = true;
      problem.accept(Printable.shown(directory.toString(), 240) + " is not a directory");
    } catch (IOException e) {
      set.isIncomplete = true;
      problem.accept(Printable.shown(directory.toString(), 240) + " " + Printable.line(e));
    }
    set.plugins = Collections.unmodifiableMap(loaded);
    set.hash = HexFormat.of().formatHex(digest.digest());
    return set;
  }

  private static List<Path> jars(Path directory) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      List<Path> jars =
          all.filter(file -> file.toString().endsWith(".jar"))
              .sorted()
              .limit(MAX_JARS + 1)
              .toList();
      if (jars.size() > MAX_JARS) {
        throw new IOException("has more than " + MAX_JARS + " jars");
      }
      return jars;
    }
  }

  private void add(
      Map<String, Loaded> to, Path file, MessageDigest digest, Consumer<String> problem) {
    String jar = Printable.shown(String.valueOf(file.getFileName()));
    int before = to.size();
    try {
      Map<String, byte[]> entries = PluginJar.read(file);
      new TreeMap<>(entries).values().forEach(digest::update);
      Iterator<ServiceLoader.Provider<Plugin>> providers =
          ServiceLoader.load(Plugin.class, new PluginClassLoader(jar, entries)).stream().iterator();
      while (providers.hasNext()) {
        add(to, providers.next(), jar);
      }
      if (to.size() == before) {
        throw new IOException(
            "has no plugin: META-INF/services/" + Plugin.class.getName() + " must name its class");
      }
    } catch (IOException | IllegalArgumentException e) {
      isIncomplete = true;
      problem.accept(jar + ": " + Printable.line(e));
    } catch (ServiceConfigurationError | LinkageError | StackOverflowError e) {
      isIncomplete = true;
      problem.accept(jar + ": " + reason(e, "fails when it is loaded: "));
    }
  }

  private static void add(
      Map<String, Loaded> to, ServiceLoader.Provider<Plugin> provider, String jar) {
    String name = PluginContract.name(provider.type());
    Loaded other = to.get(name);
    if (other != null) {
      throw new IllegalArgumentException(
          "plugin " + name + " is in " + other.jar() + " too; keep one of them");
    }
    to.put(name, new Loaded(provider.get(), jar));
  }

  /** What a person can do something about, of what the loading of a class came to. */
  private static String reason(Throwable failure, String otherwise) {
    Throwable cause = failure;
    for (int depth = 0; cause.getCause() != null && depth < MAX_CAUSES; depth++) {
      cause = cause.getCause();
    }
    return switch (cause) {
      case UnsupportedClassVersionError e ->
          Printable.line(e) + ": compile it with --release " + Runtime.version().feature();
      case NoClassDefFoundError e -> missing(e.getMessage());
      case ClassNotFoundException e -> missing(e.getMessage());
      case ServiceConfigurationError e -> Printable.line(e);
      case LinkageError e -> "does not link: " + Printable.line(e.toString());
      default -> otherwise + Printable.line(cause.toString());
    };
  }

  private static String missing(@Nullable String name) {
    return "needs class "
        + Printable.line(String.valueOf(name).replace('/', '.'))
        + ": a plugin sees its own jar, the plugin API and the JDK; put it into the jar";
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** The names of all plugins. */
  public Set<String> names() {
    return plugins.keySet();
  }

  /** What is counted of a plugin. */
  public PluginCounters counters(String name) {
    return counters.apply(name);
  }

  /** Whether jars were not loaded, so that names may be missing. */
  public boolean isIncomplete() {
    return isIncomplete;
  }

  /** Of the content of all jars. */
  public String hash() {
    return hash;
  }

  /**
   * A plugin for one rule.
   *
   * @param name one of {@link #names}
   * @param isOpen whether requests go on when it fails
   * @param origins that there are
   * @throws PluginConfigException if the plugin does not take the configuration
   */
  public Extension use(String name, PluginConfig config, boolean isOpen, Set<String> origins)
      throws PluginConfigException, PluginLoadException {
    Loaded loaded = plugins.get(name);
    if (loaded == null) {
      throw new IllegalArgumentException(name);
    }
    try {
      Handler handler = loaded.plugin().handler(config);
      if (handler == null) {
        throw new PluginLoadException("made no handler");
      }
      Lease to = lease;
      if (to == null) {
        to = new Lease();
        lease = to;
      }
      int number = to.add(handler);
      List<Group> groups = PluginContract.groups(handler);
      requireOrigins(groups, origins);
      return new PluginUse(
          name,
          new WeakReference<>(to),
          number,
          PluginUse.Phases.of(handler),
          groups,
          isOpen,
          Set.copyOf(origins),
          new CallGuard(name, budget, System::nanoTime, counters.apply(name), LOG::warn));
    } catch (IllegalArgumentException e) {
      throw new PluginLoadException(Printable.line(e));
    } catch (RuntimeException | LinkageError | StackOverflowError | AssertionError e) {
      throw new PluginLoadException("failed to make a handler: " + reason(e, ""));
    }
  }

  private static void requireOrigins(List<Group> groups, Set<String> origins) {
    for (Group group : groups) {
      Optional<String> origin = group.origin();
      if (origin.isPresent() && !origins.contains(origin.get())) {
        throw new IllegalArgumentException(
            "group " + group.name() + " goes to origin " + origin.get() + ", which is not there");
      }
    }
  }

  /** What keeps the handlers open; null where there are none. */
  public @Nullable Lease lease() {
    return lease;
  }

  /** The configuration is no longer in force; requests that began under it go on. */
  public void retire() {
    lease = null;
    plugins = Map.of();
  }

  /** Closes all handlers: there are no requests. */
  @Override
  public void close() {
    Lease closed = lease;
    retire();
    if (closed != null) {
      closed.close();
    }
  }
}
