package io.forebay.server.fill;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class FollowerGroupTest {
  private static final int MANY = 4 * FollowerGroup.BATCH + 7;

  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final EventLoop loop = loops.next();
  private final AtomicInteger advanced = new AtomicInteger();
  private final FollowerGroup group = new FollowerGroup(loop, advanced::incrementAndGet);
  private final List<Waiting> all = new ArrayList<>();

  /** Counts how often it is told. */
  private final class Waiting implements Follower {
    private int told;
    private long floor = Long.MAX_VALUE;
    private boolean leavesWhenTold;

    @Override
    public void onFillProgress() {
      told++;
      if (leavesWhenTold) {
        assertTrue(group.remove(this));
      }
    }

    @Override
    public long position() {
      return 0;
    }

    @Override
    public long floor() {
      return floor;
    }
  }

  @AfterEach
  void stop() {
    loops.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private void on(Runnable task) {
    loop.submit(task).syncUninterruptibly();
  }

  private void add(int count) {
    on(() -> {
      for (int i = 0; i < count; i++) {
        Waiting one = new Waiting();
        all.add(one);
        group.add(one);
      }
    });
  }

  /** Until what was woken has been told; fails by its time limit if that never is. */
  private void settle() {
    var done = loop.<Void>newPromise();
    group.afterWakes(() -> done.setSuccess(null));
    assertTrue(done.awaitUninterruptibly(60, TimeUnit.SECONDS));
  }

  @Test
  void eachIsToldOnceAndOtherWorkOfTheLoopIsDoneInBetween() {
    add(MANY);
    AtomicInteger toldBefore = new AtomicInteger(-1);
    on(() -> {
      group.wake();
      group.wake();
      loop.execute(() -> toldBefore.set((int) all.stream().filter(one -> one.told > 0).count()));
    });
    settle();
    assertEquals(FollowerGroup.BATCH, toldBefore.get());
    on(() -> all.forEach(one -> assertEquals(1, one.told)));
    assertEquals(1, advanced.get());
  }

  @Test
  void thoseWhoLeaveWhileTheyAreToldAreNotToldAgain() {
    add(MANY);
    on(() -> {
      all.forEach(one -> one.leavesWhenTold = true);
      all.getLast().leavesWhenTold = false;
      group.wake();
    });
    settle();
    group.wake();
    settle();
    on(() -> {
      all.subList(0, MANY - 1).forEach(one -> assertEquals(1, one.told));
      assertEquals(2, all.getLast().told);
      assertFalse(group.remove(all.getFirst()));
      assertTrue(group.remove(all.getLast()));
    });
  }

  @Test
  void whoLeavesBetweenTwoBatchesIsNotTold() {
    add(MANY);
    Waiting last = all.getLast();
    on(() -> {
      group.wake();
      loop.execute(() -> assertTrue(group.remove(last)));
    });
    settle();
    on(() -> assertEquals(0, last.told));
  }

  @Test
  void aWakeUpInARoundIsFollowedByAnotherRoundBeforeWhatWaitsForBoth() {
    add(MANY);
    AtomicInteger least = new AtomicInteger(-1);
    on(() -> {
      group.wake();
      loop.execute(() -> {
        group.wake();
        group.afterWakes(() -> least.set(all.stream().mapToInt(one -> one.told).min().orElse(-1)));
      });
    });
    settle();
    settle();
    assertEquals(2, least.get());
  }

  @Test
  void oneThatFailsDoesNotKeepTheOthersFromBeingTold() {
    add(1);
    on(() ->
        group.add(
            new Follower() {
              @Override
              public void onFillProgress() {
                throw new IllegalStateException("as the test wants");
              }

              @Override
              public long position() {
                return 0;
              }
            }));
    add(MANY);
    group.wake();
    settle();
    // Those of its own batch behind it are told by the next wake-up at the latest.
    group.wake();
    settle();
    on(() -> all.forEach(one -> assertTrue(one.told > 0)));
  }

  @Test
  void theLowestFloorIsPublishedWhenReadersComeAndLeave() {
    add(3);
    on(() -> {
      all.get(1).floor = 500;
      group.lowerFloor(500);
      assertEquals(500, group.floor());
      group.lowerFloor(900);
      assertEquals(500, group.floor());
      assertTrue(group.remove(all.get(1)));
      assertEquals(Long.MAX_VALUE, group.floor());
    });
    add(MANY);
    on(() -> {
      all.get(9).floor = 70;
      group.lowerFloor(70);
      assertTrue(group.remove(all.get(9)));
    });
    settle();
    assertEquals(Long.MAX_VALUE, group.floor());
  }
}
