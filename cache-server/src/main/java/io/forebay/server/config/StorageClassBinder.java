package io.forebay.server.config;

import io.forebay.server.config.ConfigValues.Raw;
import io.forebay.server.config.ServerConfig.StorageClassConfig;
import io.forebay.server.text.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Converts the values of storage classes into records and checks which of them contradict. */
final class StorageClassBinder extends Binder {
  /** Classes that are there without an entry. */
  static final List<String> BUILT_IN = List.of("default", "memory", "disk");

  /** The class of films, unless the configuration has its own of that name. */
  static final String VOD = "vod";

  static final int MAX_CLASSES = 24;
  private static final int MAX_GUARDED_PERCENT = 75;

  /** What is kept is written once more in each round of a disk. */
  private static final int MAX_DISK_FLOORS_PERCENT = 50;

  private final boolean hasDisks;
  private final TreeSet<String> names = new TreeSet<>(BUILT_IN);

  StorageClassBinder(
      ConfigValues values,
      List<ConfigProblem> problems,
      Map<String, String> sources,
      boolean hasDisks) {
    super(values, problems, sources);
    this.hasDisks = hasDisks;
  }

  List<StorageClassConfig> bind() {
    List<StorageClassConfig> classes = new ArrayList<>();
    int guarded = 0;
    int diskFloors = 0;
    for (Map.Entry<String, SourceLocation> instance :
        values.instances(ConfigKeys.STORAGE_CLASSES).entrySet()) {
      String name = instance.getKey();
      String scope = "storage-classes." + name;
      SourceLocation place = instance.getValue();
      if (BUILT_IN.contains(name)) {
        problems.add(place.problem(scope, name + " is built in", "use another name"));
      }
      if (classes.size() == MAX_CLASSES) {
        problems.add(
            place.problem(
                scope, "more than " + MAX_CLASSES + " classes", "let routes share a class"));
        break;
      }
      StorageClassConfig one = bind(name, scope, place);
      guarded += Math.max(one.floorPercent(), one.pinnedPercent());
      if (guarded > MAX_GUARDED_PERCENT) {
        problems.add(
            place.problem(
                scope,
                "floors and pinned shares add up to " + guarded + "% of the memory tier",
                "reduce them to " + MAX_GUARDED_PERCENT + "% together"));
        guarded = 0;
      }
      diskFloors += one.diskFloorPercent();
      if (diskFloors > MAX_DISK_FLOORS_PERCENT) {
        problems.add(
            place.problem(
                scope,
                "disk floors add up to " + diskFloors + "% of each disk",
                "reduce them to " + MAX_DISK_FLOORS_PERCENT + "% together"));
        diskFloors = 0;
      }
      names.add(name);
      classes.add(one);
      for (Field<StorageClassConfig, ?> field : ConfigKeys.STORAGE_CLASSES.fields()) {
        source(ConfigKeys.STORAGE_CLASSES, name, field, scope + "." + field.name());
      }
    }
    return List.copyOf(classes);
  }

  private StorageClassConfig bind(String name, String scope, SourceLocation place) {
    StorageClassConfig one =
        new StorageClassConfig(
            name,
            given(scope, ConfigKeys.CLASS_TIER),
            value(scope, ConfigKeys.CLASS_DISK_AFTER),
            given(scope, ConfigKeys.CLASS_DISK_MIN),
            value(scope, ConfigKeys.CLASS_DISK_MAX),
            value(scope, ConfigKeys.CLASS_MEMORY_MAX),
            given(scope, ConfigKeys.CLASS_QUOTA),
            given(scope, ConfigKeys.CLASS_FLOOR),
            given(scope, ConfigKeys.CLASS_PINNED),
            given(scope, ConfigKeys.CLASS_DISK_QUOTA),
            given(scope, ConfigKeys.CLASS_DISK_FLOOR));
    if (one.tier().equals("memory")) {
      refuse(scope, "tier: memory writes nothing to disks", ConfigKeys.CLASS_DISK_AFTER);
      refuse(scope, "tier: memory writes nothing to disks", ConfigKeys.CLASS_DISK_MIN);
      refuse(scope, "tier: memory writes nothing to disks", ConfigKeys.CLASS_DISK_MAX);
      refuse(scope, "tier: memory writes nothing to disks", ConfigKeys.CLASS_DISK_QUOTA);
      refuse(scope, "tier: memory writes nothing to disks", ConfigKeys.CLASS_DISK_FLOOR);
    }
    if (one.tier().equals("disk")) {
      refuse(scope, "tier: disk reserves nothing in memory", ConfigKeys.CLASS_FLOOR);
      refuse(scope, "tier: disk reserves nothing in memory", ConfigKeys.CLASS_PINNED);
      requireDisks(scope + ".tier", place, "tier: disk");
    }
    Long diskMax = one.diskMax();
    if (diskMax != null && diskMax < one.diskMin()) {
      problem(scope, ConfigKeys.CLASS_DISK_MIN, "is larger than disk-max", "lower it");
    }
    if (one.floorPercent() > one.quotaPercent()) {
      problem(scope, ConfigKeys.CLASS_FLOOR, "is larger than the quota", "lower it");
    }
    if (one.pinnedPercent() > one.quotaPercent()) {
      problem(scope, ConfigKeys.CLASS_PINNED, "is larger than the quota", "lower it");
    }
    if (one.diskFloorPercent() > one.diskQuotaPercent()) {
      problem(scope, ConfigKeys.CLASS_DISK_FLOOR, "is larger than disk-quota", "lower it");
    }
    return one;
  }

  /** A key that contradicts the tier of its class. */
  private void refuse(String scope, String why, Field<StorageClassConfig, ?> field) {
    if (values.get(scope + "." + field.name()) != null) {
      problem(scope, field, why, "remove it, or choose another tier");
    }
  }

  private void problem(String scope, Field<StorageClassConfig, ?> field, String why, String right) {
    String path = scope + "." + field.name();
    problems.add(firstPlace(path, scope).problem(path, why, right));
  }

  private boolean isConfigured(String name) {
    return values.instances(ConfigKeys.STORAGE_CLASSES).containsKey(name);
  }

  private void requireDisks(String path, SourceLocation place, String what) {
    if (!hasDisks) {
      problems.add(
          place.problem(
              path,
              what + " without a disk",
              "add a disk under stores, or choose another class or tier"));
    }
  }

  /** Whether a route may name a class; after {@link #bind}. */
  void check(String routeScope, String name) {
    String path = routeScope + "." + ConfigKeys.ROUTE_STORE_CLASS.name();
    Raw raw = values.get(path);
    if (raw == null) {
      return;
    }
    if (!names.contains(name) && !name.equals(VOD)) {
      problems.add(
          raw.place()
              .problem(
                  path,
                  "there is no storage class named " + name,
                  Printable.suggestion(name, List.copyOf(names))));
    } else if (name.equals("disk") || (name.equals(VOD) && !isConfigured(VOD))) {
      requireDisks(path, raw.place(), "the class " + name);
    }
  }
}
