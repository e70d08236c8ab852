package io.forebay.server.cluster.purge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.TargetUri;
import io.forebay.server.cluster.etcd.EtcdException;
import io.forebay.server.purge.CacheGroup;
import io.forebay.server.purge.PurgeOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

final class GroupInvalidationsTest {
  private final List<PurgeOrder> log = new ArrayList<>();
  private long nanos = Long.MAX_VALUE - 5;
  private final GroupInvalidations groups = new GroupInvalidations(() -> nanos);

  private static CacheGroup group(String name) {
    return CacheGroup.of(Objects.requireNonNull(TargetUri.parse("http://site.example/a?b")), name);
  }

  private int step() throws Exception {
    int before = log.size();
    groups.step(log::addAll);
    return log.size() - before;
  }

  @Test
  void whatOriginsNameIsWrittenWithinABurstAndARate() throws Exception {
    for (int i = 0; i < 500; i++) {
      groups.add(group("g" + i));
    }
    assertEquals(GroupInvalidations.BURST, step());
    assertEquals(0, step());
    nanos += Duration.ofSeconds(1).toNanos();
    assertEquals(GroupInvalidations.PER_SECOND, step());
    nanos += Duration.ofHours(1).toNanos();
    assertEquals(GroupInvalidations.BURST, step(), "an idle hour is no larger burst");
    assertEquals(log.size(), log.stream().distinct().count());
    assertEquals(log.size(), groups.published());
    assertEquals(0, groups.lost());
  }

  @Test
  void whatFindsNoPlaceIsCounted() throws Exception {
    for (int i = 0; i < GroupInvalidations.MAX_WAITING + 7; i++) {
      groups.add(group("g" + i));
    }
    groups.add(group("g0"));
    groups.add(group("x".repeat(2_000)));
    assertEquals(8, groups.lost());
    nanos += 1;
    assertTrue(step() > 0);
    groups.add(group("another"));
    assertEquals(8, groups.lost());
  }

  @Test
  void aGroupThatIsNamedAgainIsWrittenOnceOrAgainIfItWasOnItsWay() throws Exception {
    groups.add(group("a"));
    groups.add(group("a"));
    groups.step(orders -> {
      log.addAll(orders);
      groups.add(group("a"));
    });
    assertEquals(List.of(group("a").purge()), log);
    assertEquals(1, step());
    assertEquals(0, step());
    assertEquals("http://site.example/ a", log.getFirst().text());
  }

  @Test
  void whatTheLogDoesNotTakeWaits() throws Exception {
    groups.add(group("a"));
    assertThrows(
        EtcdException.class,
        () ->
            groups.step(orders -> {
              throw new EtcdException(EtcdException.Kind.UNAVAILABLE, "no leader");
            }));
    assertEquals(0, groups.published());
    assertEquals(1, step());
    assertEquals(1, groups.published());
  }
}
