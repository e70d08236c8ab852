package io.forebay.server.cluster.purge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.purge.PurgeOrder;
import io.forebay.server.purge.PurgeOrder.Reach;
import io.forebay.storage.purge.PurgeKind;
import java.time.Instant;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PurgeEntryTest {
  private static final Instant AT = Instant.parse("2026-01-02T03:04:05Z");

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "UNDO")
  void isReadAsItWasWritten(PurgeKind kind) {
    for (Reach reach : Reach.values()) {
      PurgeEntry entry =
          new PurgeEntry(new PurgeOrder(kind, "http://a/\"é\\", true, reach), "edge-1", AT);
      assertEquals(entry, PurgeEntry.read(entry.json()));
    }
  }

  @Test
  void anUndoIsToAnEarlierVersionASoftPurgeOfATagThatNoObjectHas() {
    PurgeEntry entry = new PurgeEntry(PurgeOrder.undo(81_217), "edge-1", AT);
    assertEquals(entry, PurgeEntry.read(entry.json()));
    String known = entry.json().replaceFirst(",\"undo\":\"[^\"]*\"", "");
    assertNotEquals(entry.json(), known);
    assertEquals(
        new PurgeOrder(PurgeKind.TAG, "forebay undo of c-81217", true),
        Objects.requireNonNull(PurgeEntry.read(known)).order());
    assertEquals(81_217, Objects.requireNonNull(PurgeEntry.read(entry.json())).order().undone());
  }

  @Test
  void aLimitInTimeIsAScopeOfItsOwnAndUnknownToAnEarlierVersion() {
    PurgeOrder all = new PurgeOrder(PurgeKind.TAG, "article-17", false);
    PurgeEntry entry = new PurgeEntry(all.ofStoredBefore(AT), "edge-1", AT);
    assertEquals(entry, PurgeEntry.read(entry.json()));
    assertNotEquals(PurgeEntry.key(all), PurgeEntry.key(entry.order()));
    String known = entry.json().replaceFirst(",\"storedBefore\":\"[^\"]*\"", "");
    assertEquals(all, Objects.requireNonNull(PurgeEntry.read(known)).order());
    String broken = entry.json().replace("\"storedBefore\":\"", "\"storedBefore\":\"x");
    assertNull(PurgeEntry.read(broken));
  }

  @Test
  void oneScopeHasOneKey() {
    PurgeOrder order = new PurgeOrder(PurgeKind.TAG, "article-17", false);
    String key = PurgeEntry.key(order);
    assertTrue(key.matches("[0-9a-f]{2}/tag-[0-9a-f]{32}"), key);
    assertEquals(key, PurgeEntry.key(new PurgeOrder(PurgeKind.TAG, "article-17", false)));
    assertNotEquals(key, PurgeEntry.key(new PurgeOrder(PurgeKind.TAG, "article-17", true)));
    assertNotEquals(key, PurgeEntry.key(new PurgeOrder(PurgeKind.HOST, "article-17", false)));
    assertNotEquals(
        key, PurgeEntry.key(new PurgeOrder(PurgeKind.TAG, "article-17", false, Reach.ANY_PORT)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "null",
        "{\"v\":2,\"kind\":\"tag\",\"text\":\"t\",\"soft\":false,\"reach\":\"as-written\"}",
        "{\"v\":1,\"kind\":\"new\",\"text\":\"t\",\"soft\":false,\"reach\":\"as-written\"}",
        "{\"v\":1,\"kind\":\"tag\",\"soft\":false,\"reach\":\"as-written\"}",
        "{\"v\":1,\"kind\":\"tag\",\"text\":\"t\",\"soft\":\"no\",\"reach\":\"as-written\"}",
        "{\"v\":1,\"kind\":\"tag\",\"text\":\"t\",\"soft\":false,\"reach\":\"everywhere\"}"
      })
  void anotherVersionsIsNotGuessedAt(String json) {
    assertNull(PurgeEntry.read(json));
  }
}
