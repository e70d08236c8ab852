package io.forebay.cli.demo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class LadderTest {
  private final Ladder ladder = new Ladder();

  @Test
  void holdsSegmentsOf72KilobytesTo12Megabytes() {
    int[] lengths = ladder.firstOfEachRung().stream().mapToInt(i -> i.bytes().length).toArray();

    assertEquals(Ladder.renditions(), lengths.length);
    assertEquals(72 << 10, lengths[0]);
    assertEquals(12 << 20, lengths[lengths.length - 1]);
  }

  @Test
  void bytesFollowFromThePathAlone() {
    Ladder.Item one = ladder.segments().get(0);
    Ladder.Item two = ladder.segments().get(1);

    assertArrayEquals(one.bytes(), new Ladder().item(one.path()).bytes());
    assertFalse(Arrays.equals(one.bytes(), two.bytes()));
  }

  @Test
  void playlistsNameEverySegmentButTheNewest() {
    String master = text(Ladder.masterPath());
    StringBuilder named = new StringBuilder();
    master
        .lines()
        .filter(line -> !line.startsWith("#"))
        .forEach(playlist -> {
          String path = "/live/news/" + playlist;
          String base = path.substring(0, path.lastIndexOf('/') + 1);
          text(path)
              .lines()
              .filter(line -> !line.startsWith("#"))
              .forEach(segment -> named.append(base).append(segment).append('\n'));
        });

    assertEquals(
        ladder.segments().stream().map(Ladder.Item::path).sorted().toList(),
        named.toString().lines().sorted().toList());
    assertNotNull(ladder.find(Ladder.newestOfBiggest()));
    assertTrue(
        ladder.segments().stream().noneMatch(i -> i.path().equals(Ladder.newestOfBiggest())));
  }

  private String text(String path) {
    return new String(ladder.item(path).bytes(), StandardCharsets.UTF_8);
  }
}
