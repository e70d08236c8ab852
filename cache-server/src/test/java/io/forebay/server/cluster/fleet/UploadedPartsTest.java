package io.forebay.server.cluster.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import org.junit.jupiter.api.Test;

final class UploadedPartsTest {
  private static final int COUNT = UploadedParts.MAX_LENGTH / DocumentParts.MAX_PART_LENGTH;

  private final UploadedParts parts = new UploadedParts();
  private final String largest = "x".repeat(DocumentParts.MAX_PART_LENGTH);

  @Test
  void theOldestMakeRoomForTheLargestDocument() {
    for (int i = 0; i <= COUNT; i++) {
      parts.add("part " + i, largest);
    }
    assertEquals(COUNT, parts.all().size());
    assertFalse(parts.all().containsKey("part 0"));
    assertTrue(parts.all().containsKey("part " + COUNT));
  }

  @Test
  void whatIsSentAgainOrRemovedCountsOnce() {
    for (int i = 0; i < 2 * COUNT; i++) {
      parts.add("one", largest);
    }
    for (int i = 1; i < COUNT; i++) {
      parts.add("part " + i, largest);
    }
    assertEquals(COUNT, parts.all().size());
    parts.remove(Set.of("one", "unknown"));
    parts.add("another", largest);
    assertEquals(COUNT, parts.all().size());
  }
}
