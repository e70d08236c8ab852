package io.forebay.storage.inspect;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** The hottest names of those that were offered, each once, bounded in number and in characters. */
final class HotList {
  static final int MAX_CHARACTERS = 16 << 20;

  private final int limit;
  private final Map<String, Place> places = new HashMap<>();
  private final TreeSet<Place> coldestFirst =
      new TreeSet<>(
          Comparator.comparingLong(Place::heat).thenComparing(place -> place.object().name()));
  private long characters;

  private record Place(HotObject object, long heat) {}

  HotList(int limit) {
    this.limit = limit;
  }

  /**
   * A number that is higher the more an object is asked for: by touches, then by segment, then by
   * age.
   *
   * @param age of its region; larger is younger
   */
  static long heat(int touches, boolean isProtected, long age) {
    long young = Math.min(age, (1L << 40) - 1);
    return ((long) touches << 1 | (isProtected ? 1 : 0)) << 40 | young;
  }

  /** Whether something that hot has a place, so that its name is worth finding out. */
  boolean takes(long heat) {
    return coldestFirst.size() < limit || heat > coldestFirst.first().heat();
  }

  void add(HotObject object, long heat) {
    Place before = places.get(object.name());
    if (before != null) {
      if (before.heat() >= heat) {
        return;
      }
      remove(before);
    }
    Place place = new Place(object, heat);
    places.put(object.name(), place);
    coldestFirst.add(place);
    characters += object.name().length();
    while (coldestFirst.size() > limit || characters > MAX_CHARACTERS) {
      remove(coldestFirst.first());
    }
  }

  private void remove(Place place) {
    coldestFirst.remove(place);
    places.remove(place.object().name());
    characters -= place.object().name().length();
  }

  /** The hottest first. */
  List<HotObject> objects() {
    List<HotObject> objects = new ArrayList<>(coldestFirst.size());
    coldestFirst.descendingSet().forEach(place -> objects.add(place.object()));
    return objects;
  }
}
