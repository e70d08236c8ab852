package io.forebay.server.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.http.TargetUri;
import io.forebay.core.key.KeyRecipe;
import io.forebay.core.key.RendezvousHash;
import io.forebay.server.origin.group.Origins;
import io.forebay.storage.purge.PurgePosition;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class PeerRouterTest {
  private boolean isAhead;
  private final PeerDirectory directory =
      new PeerDirectory(
          "test",
          "a",
          0,
          () -> new PurgePosition(1, 2, 3),
          () -> null,
          true,
          nanoTime -> false,
          position -> !isAhead);
  private final PeerRouter router =
      new PeerRouter(directory, (target, asked) -> directory.beginForgetting(asked));

  @BeforeEach
  void prepare() {
    directory.update(
        new Peers(
            Stream.of("a", "b", "c")
                .map(name -> new Peers.Node(name, RendezvousHash.number(name), 100, true))
                .toList(),
            List.of(),
            Origins.NONE));
  }

  private static TargetUri url(int number) {
    return Objects.requireNonNull(TargetUri.parse("http://site.example/" + number));
  }

  private @Nullable PeerPlan plan(int number) {
    return router.plan(
        SyntheticRequest.of("GET", url(number), HeaderFields.EMPTY), KeyRecipe.DEFAULT, false);
  }

  /** URLs whose keys another node owns. */
  private List<Integer> others() {
    return IntStream.range(0, 50).filter(number -> plan(number) != null).boxed().toList();
  }

  @Test
  void nobodyIsAskedWhilePurgesOfThisNodeWaitForTheLog() {
    int number = others().getFirst();
    isAhead = true;
    assertNull(plan(number));
    isAhead = false;
    assertNotNull(plan(number));
  }

  @Test
  void nobodyIsAskedForWhatIsBeingForgotten() {
    List<Integer> numbers = others();
    int changed = numbers.getFirst();
    router.forget(url(changed), KeyRecipe.DEFAULT);
    router.forget(url(changed), KeyRecipe.DEFAULT);
    assertNull(plan(changed));
    assertNotNull(plan(numbers.get(1)));
    directory.endForgetting(url(changed));
    assertNull(plan(changed), "another loop still waits");
    directory.endForgetting(url(changed));
    assertEquals(numbers, others());
  }
}
