package io.forebay.storage;

import java.io.File;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * Compiles the store's own source with one rule of its concurrency removed. The same races run on
 * it as on the real classes; if they do not catch a weakening, they would not catch the same
 * mistake in the code.
 *
 * <p>{@link #compile} makes the changed classes, which fails when the source no longer has the line
 * that a weakening changes; {@link #races} loads everything anew, with those classes in front.
 */
enum Weakening {
  PINNED_WITH_RELEASE(
      new Change(
          "region/RegionPins",
          "COUNT.setVolatile(row, PAD + region, row[PAD + region] + 1);",
          "COUNT.setRelease(row, PAD + region, row[PAD + region] + 1);")),

  TWO_PINNED_WITHOUT_FENCE(
      new Change(
          "region/RegionPins",
          """
          COUNT.setRelease(row, PAD + other, row[PAD + other] + 1);
              VarHandle.fullFence();
          """,
          """
          COUNT.setRelease(row, PAD + other, row[PAD + other] + 1);
          """)),

  VALIDATED_BEFORE_PINNED(
      new Change(
          "lane/LaneLookup",
          "boolean pinIf(int region, int generation) {",
          """
          boolean pinIf(int region, int generation) {
            if (regions.isReadable(region, generation)) {
              pins.pin(lane, region);
              return true;
            }
          """)),

  MARKED_WITHOUT_FENCE(
      new Change("region/Regions", "words.set(region,", "words.setRelease(region,"),
      new Change("region/RegionPins", "VarHandle.fullFence();\n    for (", "for (")),

  NEAR_WITHOUT_GENERATION(
      new Change(
          "lane/LaneLookup",
          "regions.isReadable(region, near.generation(entry))",
          "regions.isReadable(region, regions.generation(region))")),

  NEAR_WITHOUT_LIVE(
      new Change(
          "lane/LaneLookup",
          "regions.isReadable(region, generation) && regions.isLive(region, slot)",
          "regions.isReadable(region, generation)"),
      new Change("lane/LaneLookup", "if (regions.isLive(region, slot)) {", "if (slot >= 0) {")),

  COUNTED_BEFORE_NAMED(
      new Change("lane/LaneInstaller", "core.installs.add(lo);", ""),
      new Change(
          "lane/LaneInstaller",
          "StoreState.Piece at, int length, long id, long hi, long lo) {",
          """
          StoreState.Piece at, int length, long id, long hi, long lo) {
            core.installs.add(lo);
          """)),

  INSTALLED_WITHOUT_BIRTH(
      new Change(
          "lane/InstallUpdate", "if (isThere && value.birth() >= birth) {", "if (birth < 0) {")),

  MOVED_WITHOUT_CONDITION(
      new Change(
          "evict/Reclaimer",
          "if (!isPresent || !current.isAt(region, generation, offset)) {",
          "if (region < 0) {"),
      new Change("evict/Reclaimer", "if (!regions.isLive(region, slot)) {", "if (region < 0) {")),

  INSTALLED_BESIDE_TABLE(
      new Change(
          "index/ChronicleIndex",
          """
          count.incrementAndGet();
                      below.remove();
          """,
          "count.incrementAndGet();")),

  NAMED_WITHOUT_BIRTH(
      new Change("index/DiskIndex", "if (there >= value.birth()) {", "if (value.birth() < 0) {")),

  JOINED_WITHOUT_LOCK(
      new Change(
          "index/DiskIndex",
          """
          boolean ignored = lockStripe(stripe, true);
              try {
                long slot = slotOf(id, true);
                return slot >= 0 && enter(stripe, slot, slice, value);
              } finally {
                unlockStripe(stripe);
              }
          """,
          """
          long slot = slotOf(id, true);
              return slot >= 0 && enter(stripe, slot, slice, value);
          """)),

  READ_ONCE(
      new Change("index/DiskIndex", "if (words.get(number) == word) {", "if (number >= 0) {"),
      new Change("index/DiskIndex", "VarHandle.loadLoadFence();", "")),

  FORGOTTEN_WITHOUT_PLACE(
      new Change(
          "lane/LaneLookup",
          "removal.at(region, generation, offset).of(hi, lo);",
          "removal.any().of(hi, lo);")),

  WATERMARK_BEFORE_BYTES(
      new Change(
          "lane/ObjectWriter",
          "boolean isTaken = !hasFailed && !core.isLost() && taken(src);",
          """
          WATERMARK.setRelease(this, written + src.remaining());
          boolean isTaken = !hasFailed && !core.isLost() && taken(src);
          """)),

  FLOOR_BEFORE_SIZE(
      new Change(
          "purge/PurgeTable",
          """
          the floor that was raised for it.
              if (size == 0) {
                return checkFloor(birth, bodyBirth);
          """,
          """
          the floor that was raised for it.
              int before = checkFloor(birth, bodyBirth);
              if (size == 0) {
                return before;
          """)),

  FLOOR_BEFORE_SIZE_BY_SCOPES(
      new Change(
          "purge/PurgeTable",
          """
          if (size == 0) {
                return checkFloor(birth, birth);
          """,
          """
          int before = checkFloor(birth, birth);
              if (size == 0) {
                return before;
          """));

  private record Change(String file, String from, String to) {}

  /** Where the changed classes lie, one directory a weakening; set for the stress harness. */
  static final String DIRECTORY = "forebay.weakened";

  private static final String PACKAGE = "io.forebay.storage.";

  @SuppressWarnings("ImmutableEnumChecker") // List.of
  private final List<Change> changes;

  Weakening(Change... changes) {
    this.changes = List.of(changes);
  }

  /** Compiles the weakened classes from the sources as they are now. */
  void compile(Path sources, Path into, String classPath) throws IOException {
    Path changed = into.resolve(name() + "-source");
    Path classes = Files.createDirectories(into.resolve(name()));
    List<Path> files = new ArrayList<>();
    for (Change change : changes) {
      String name = change.file() + ".java";
      Path file = changed.resolve(name);
      Path origin = Files.exists(file) ? file : sources.resolve(PACKAGE.replace('.', '/') + name);
      String text = Files.readString(origin);
      int at = text.indexOf(change.from());
      if (at < 0 || text.indexOf(change.from(), at + 1) >= 0) {
        throw new IllegalStateException(this + ": " + name + " has not once " + change.from());
      }
      Files.createDirectories(file.resolveSibling(""));
      Files.writeString(file, text.replace(change.from(), change.to()));
      files.add(file);
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
      List<String> options =
          List.of(
              "-d",
              classes.toString(),
              "-cp",
              classPath,
              "-proc:none",
              "-nowarn",
              "-implicit:none");
      boolean isDone =
          compiler
              .getTask(
                  null,
                  manager,
                  null,
                  options,
                  null,
                  manager.getJavaFileObjectsFromPaths(files.stream().distinct().toList()))
              .call();
      if (!isDone) {
        throw new IllegalStateException(this + " does not compile");
      }
    }
  }

  /** Races over the store as it is, or weakened. */
  static Supplier<Race> races(String name, @Nullable Weakening weakening) {
    return weakening == null ? Races.of(name) : races("Races", name, weakening);
  }

  /** The same of the index alone. */
  static Supplier<Race> tierRaces(String name, @Nullable Weakening weakening) {
    return weakening == null ? TierRaces.of(name) : races("TierRaces", name, weakening);
  }

  @SuppressWarnings("unchecked")
  private static Supplier<Race> races(String from, String name, Weakening weakening) {
    try {
      Class<?> races = Class.forName(PACKAGE + from, true, new Loader(weakening.name()));
      MethodHandle constructor =
          MethodHandles.privateLookupIn(races, MethodHandles.lookup())
              .findStatic(races, "of", MethodType.methodType(Supplier.class, String.class));
      return (Supplier<Race>) constructor.invoke(name);
    } catch (Throwable e) {
      throw new IllegalStateException(weakening.name(), e);
    }
  }

  /** Loads the whole of the class path anew, all but what both sides have to agree on. */
  private static final class Loader extends URLClassLoader {
    Loader(String weakening) throws MalformedURLException {
      super(urls(weakening), ClassLoader.getPlatformClassLoader());
    }

    private static URL[] urls(String weakening) throws MalformedURLException {
      List<URL> urls = new ArrayList<>();
      urls.add(Path.of(System.getProperty(DIRECTORY, "")).resolve(weakening).toUri().toURL());
      for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
        urls.add(Path.of(entry).toUri().toURL());
      }
      return urls.toArray(URL[]::new);
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      return name.equals(Race.class.getName()) ? Race.class : super.findClass(name);
    }
  }
}
