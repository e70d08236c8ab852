package io.forebay.storage.inspect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

final class HotListTest {

  private static void add(HotList list, String name, int touches, boolean isProtected, long age) {
    list.add(new HotObject(name, touches, isProtected, 1), HotList.heat(touches, isProtected, age));
  }

  private static List<String> names(HotList list) {
    return list.objects().stream().map(HotObject::name).toList();
  }

  @Test
  void touchesCountBeforeTheSegmentAndThatBeforeAge() {
    HotList list = new HotList(10);
    add(list, "cold", 0, false, 99);
    add(list, "kept", 0, true, 1);
    add(list, "old", 3, false, 1);
    add(list, "young", 3, false, 2);
    add(list, "hot", 3, true, 1);
    assertEquals(List.of("hot", "young", "old", "kept", "cold"), names(list));
  }

  @Test
  void theColdestGoesForAHotterOne() {
    HotList list = new HotList(2);
    add(list, "a", 1, false, 1);
    assertTrue(list.takes(0), "there is room");
    add(list, "b", 2, false, 1);
    assertFalse(list.takes(HotList.heat(1, false, 1)));
    assertTrue(list.takes(HotList.heat(1, false, 2)));
    add(list, "c", 3, false, 1);
    assertEquals(List.of("c", "b"), names(list));
  }

  /** Variants of one URL have its name. */
  @Test
  void aNameIsListedOnceWithItsHottestObject() {
    HotList list = new HotList(2);
    add(list, "a", 1, false, 1);
    add(list, "a", 3, false, 1);
    add(list, "a", 2, true, 1);
    add(list, "b", 2, false, 1);
    assertEquals(List.of("a", "b"), names(list));
    assertEquals(3, list.objects().getFirst().touches());
  }

  @Test
  void namesTogetherHaveABound() {
    HotList list = new HotList(1_000);
    String half = "x".repeat(HotList.MAX_CHARACTERS / 2);
    add(list, half + "a", 1, false, 1);
    add(list, half + "b", 2, false, 1);
    assertEquals(1, list.objects().size());
    assertEquals(2, list.objects().getFirst().touches());
  }
}
