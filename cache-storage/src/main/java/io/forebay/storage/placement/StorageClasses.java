package io.forebay.storage.placement;

import io.forebay.storage.layout.DirectoryEntry;
import io.forebay.storage.placement.StorageClass.Tier;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The storage classes in force, by the number that records carry and by name. Replaced as a whole;
 * any thread reads.
 *
 * <p>A record whose class is not configured any more keeps its number. It is never written to a
 * disk, because its class may have forbidden that.
 */
public final class StorageClasses {
  /** Numbers, 0 for the default class included. */
  public static final int COUNT = DirectoryEntry.MAX_CLASS + 1;

  private final StorageClassNumbers numbers;
  private volatile State state;

  @SuppressWarnings("ArrayRecordComponent") // never changed once it is made
  private record State(
      StorageClass[] byNumber,
      boolean[] isConfigured,
      Map<String, Integer> byName,
      boolean isAny,
      boolean isAnyGuarded,
      boolean isAnyOnDisks) {}

  public StorageClasses(StorageClassNumbers numbers) {
    this.numbers = numbers;
    this.state = state(List.of());
  }

  /** None but the default class, for stores without a directory. */
  public static StorageClasses none() {
    return new StorageClasses(StorageClassNumbers.unnamed());
  }

  /**
   * Gives numbers to classes that have none. Blocks for the file of numbers.
   *
   * @throws IOException when that can't be written, or has no number left
   */
  public void prepare(List<StorageClass> classes) throws IOException {
    numbers.assign(classes.stream().map(StorageClass::name).toList());
  }

  /** Replaces the classes by others that were prepared. */
  public void configure(List<StorageClass> classes) {
    state = state(classes);
  }

  private State state(List<StorageClass> classes) {
    Map<String, Integer> byName = numbers.byName();
    StorageClass[] byNumber = new StorageClass[COUNT];
    boolean[] isConfigured = new boolean[COUNT];
    Arrays.fill(byNumber, StorageClass.of("unknown", Tier.MEMORY));
    byName.forEach((name, number) -> byNumber[number] = StorageClass.of(name, Tier.MEMORY));
    byNumber[0] = StorageClass.DEFAULT;
    for (StorageClass one : classes) {
      Integer number = byName.get(one.name());
      if (number != null) {
        byNumber[number] = one;
        isConfigured[number] = true;
      }
    }
    return new State(
        byNumber,
        isConfigured,
        byName,
        !classes.isEmpty(),
        classes.stream().anyMatch(one -> one.guardedPercent() > 0),
        classes.stream().anyMatch(one -> one.hasDiskQuota() || one.diskFloorPercent() > 0));
  }

  /** The class of records with a number. */
  public StorageClass of(int number) {
    return state.byNumber[number];
  }

  /** Whether any class has a floor or a pinned share. */
  public boolean isAnyGuarded() {
    return state.isAnyGuarded;
  }

  /** Whether any class has a quota or a floor on disks. */
  public boolean isAnyOnDisks() {
    return state.isAnyOnDisks;
  }

  /** Whether there is any class but the default one. */
  public boolean isAny() {
    return state.isAny;
  }

  /** Whether a class other than the default one is configured. */
  public boolean isConfigured(int number) {
    return state.isConfigured[number];
  }

  /**
   * The number of a class, which may not be configured any more; 0, for the default class, where
   * there was none of that name.
   */
  public int number(String name) {
    return state.byName.getOrDefault(name, 0);
  }

  /** The name of the class with a number; null if it has none. */
  public @Nullable String name(int number) {
    return number == 0 || state.byName.containsValue(number) ? of(number).name() : null;
  }
}
