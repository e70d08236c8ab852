package io.forebay.server.purge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.forebay.core.http.TargetUri;
import io.forebay.storage.purge.PurgeKind;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CacheGroupTest {
  private static TargetUri uri(String text) {
    return Objects.requireNonNull(TargetUri.parse(text));
  }

  @Test
  void aGroupBelongsToTheOriginAndNotToTheUrl() {
    CacheGroup group = CacheGroup.of(uri("https://shop.example:8443/cart?a=b"), "prices");
    assertEquals(CacheGroup.of(uri("https://shop.example:8443/"), "prices"), group);
    assertEquals("https://shop.example:8443/ prices", group.text());
    assertEquals(new PurgeOrder(PurgeKind.GROUP, group.text(), false), group.purge());
  }

  @ParameterizedTest
  @ValueSource(strings = {"prices", "all prices", " ", "", "https://other.example/ x"})
  void theTextOfAPurgeGivesTheGroupAgain(String name) {
    CacheGroup group = CacheGroup.of(uri("http://shop.example/a"), name);
    assertEquals(group, CacheGroup.parse(group.text()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "prices", " prices", "shop.example prices", "/ prices"})
  void aTextWithoutAnOriginIsNoGroup(String text) {
    assertThrows(IllegalArgumentException.class, () -> CacheGroup.parse(text));
  }
}
