package io.forebay.server.explain;

import io.forebay.storage.inspect.InspectedObject;
import io.forebay.storage.placement.StorageClass;
import io.forebay.storage.placement.StorageClass.Tier;
import io.forebay.storage.placement.StorageClasses;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the storage class of a route, or of a stored object, means for where an object lies. */
final class StorageClassHint {
  private StorageClassHint() {}

  /** Null for the default class without anything stored in another one. */
  static @Nullable String of(
      StorageClasses classes, String routeClass, @Nullable InspectedObject object) {
    int number = classes.number(routeClass);
    int storedIn = object == null ? number : object.storageClass();
    if (number == 0 && storedIn == 0) {
      return null;
    }
    String text = "Responses of the route are stored in class " + routeClass;
    if (number != 0) {
      text += " (" + rules(classes.of(number)) + ")";
    }
    if (storedIn != number) {
      String name = Objects.requireNonNullElse(classes.name(storedIn), "unknown-" + storedIn);
      text += "; the stored response is in class " + name;
    }
    return text + ".";
  }

  private static String rules(StorageClass rules) {
    List<String> parts = new ArrayList<>();
    switch (rules.tier()) {
      case MEMORY -> parts.add("never on a disk");
      case DISK -> parts.add("on disks");
      case DEFAULT -> parts.add("in memory, then on a disk");
    }
    if (rules.tier() != Tier.MEMORY && rules.diskAfter() > 0) {
      parts.add("to a disk after " + rules.diskAfter() + " repeated requests");
    }
    if (rules.diskMinBytes() > 0) {
      parts.add("to a disk from " + rules.diskMinBytes() + " bytes on");
    }
    if (rules.diskMaxBytes() != StorageClass.UNLIMITED) {
      parts.add("to a disk up to " + rules.diskMaxBytes() + " bytes");
    }
    if (rules.memoryMaxBytes() != StorageClass.UNLIMITED && rules.memoryMaxBytes() > 0) {
      parts.add("in the protected segment up to " + rules.memoryMaxBytes() + " bytes");
    }
    if (rules.hasQuota()) {
      parts.add("at most " + rules.quotaPercent() + "% of memory");
    }
    if (rules.floorPercent() > 0) {
      parts.add("not evicted below " + rules.floorPercent() + "% of memory");
    }
    if (rules.pinnedPercent() > 0) {
      parts.add("pinned up to " + rules.pinnedPercent() + "% of memory");
    }
    if (rules.hasDiskQuota()) {
      parts.add("at most " + rules.diskQuotaPercent() + "% of each full disk");
    }
    if (rules.diskFloorPercent() > 0) {
      parts.add("kept on a disk below " + rules.diskFloorPercent() + "% of it");
    }
    return String.join(", ", parts);
  }
}
