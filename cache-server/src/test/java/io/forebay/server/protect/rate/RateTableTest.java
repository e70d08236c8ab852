package io.forebay.server.protect.rate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.http.TargetUri;
import io.forebay.core.key.PurgeUrl;
import io.forebay.server.config.ProtectionProfile.RateLimitConfig;
import io.forebay.server.config.ProtectionProfile.RateLimitConfig.Unit;
import io.forebay.server.counters.CounterNames;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.network.IpAddress;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Buckets by a clock that the test moves, one thread and many, and a table that is too small. */
final class RateTableTest {
  private static final long SECOND = 1_000_000_000L;
  private static final byte[] SECRET = new byte[16];

  private final LoopCounters counters = new LoopCounters(new CounterNames());

  private static RateLimit limit(int requests, int burst, @Nullable Duration penalty) {
    return RateLimit.of("p", config(RateLimitConfig.Kind.CLIENT, "", requests, burst, penalty));
  }

  private static RateLimitConfig config(
      RateLimitConfig.Kind kind,
      String field,
      int requests,
      int burst,
      @Nullable Duration penalty) {
    return new RateLimitConfig(
        "l", kind, field, Unit.REQUESTS, requests, Duration.ofSeconds(1), burst, penalty);
  }

  private static RateLimit bytes(long bytes, long burst) {
    return RateLimit.of(
        "p",
        new RateLimitConfig(
            "b",
            RateLimitConfig.Kind.CLIENT,
            "",
            Unit.BYTES,
            bytes,
            Duration.ofSeconds(1),
            burst,
            null));
  }

  @Test
  void whatIsChargedIsEarnedAgainAndUntilThenItIsOwed() {
    RateTable table = new RateTable(64);
    RateLimit limit = bytes(1000, 2000);
    long now = 7 * SECOND;
    assertEquals(0, table.debt(3, limit, now));
    table.charge(3, limit.nanos(1999), now, counters);
    assertEquals(0, table.debt(3, limit, now), "a byte is left");
    table.charge(3, limit.nanos(5001), now, counters);
    long debt = table.debt(3, limit, now);
    assertTrue(Math.abs(debt - 5 * SECOND) <= 10, debt + " ns for 5000 bytes");
    assertEquals(0, table.debt(4, limit, now), "another key");
    assertTrue(table.debt(3, limit, now + debt - 1) > 0);
    assertEquals(0, table.debt(3, limit, now + debt));
    // After a pause the burst is there again, and no more than that.
    table.charge(3, limit.nanos(2000), now + 1000 * SECOND, counters);
    assertTrue(table.debt(3, limit, now + 1000 * SECOND) > 0);
    assertEquals(0, counters.rateKeysDisplaced);
  }

  @Test
  void aDebtIsNeverMoreThanAYear() {
    RateTable table = new RateTable(64);
    RateLimit limit = bytes(1024, 1024);
    for (int i = 0; i < 1000; i++) {
      table.charge(3, limit.nanos(Long.MAX_VALUE), 0, counters);
    }
    assertTrue(table.debt(3, limit, 0) <= RateTable.MAX_DEBT_NANOS);
    assertTrue(table.debt(3, limit, 0) > RateTable.MAX_DEBT_NANOS - 2 * SECOND);
    assertEquals(0, table.debt(3, limit, RateTable.MAX_DEBT_NANOS));
  }

  @Test
  void threadsThatChargeAKeyLoseNothing() throws Exception {
    RateTable table = new RateTable(64);
    RateLimit limit = bytes(1000, 1000);
    inThreads(
        2,
        thread -> {
          for (int i = 0; i < 5000; i++) {
            table.charge(42, limit.nanos(100), 0, new LoopCounters(new CounterNames()));
          }
        });
    double seconds = (double) table.debt(42, limit, 0) / SECOND;
    // A charge that lost eight races in a row is not counted.
    assertTrue(seconds > 980 && seconds <= 999.1, seconds + " s for 1,000,000 bytes");
  }

  @Test
  void aBurstIsAdmittedAtOnceAndThenTheRate() {
    RateTable table = new RateTable(64);
    RateLimit limit = limit(10, 5, null);
    long now = 7 * SECOND;
    for (int i = 0; i < 5; i++) {
      assertEquals(0, table.peek(3, limit, now));
      assertEquals(0, table.take(3, limit, now, counters));
    }
    assertEquals(SECOND / 10, table.peek(3, limit, now));
    assertEquals(SECOND / 10, table.take(3, limit, now, counters));
    assertEquals(1, table.take(3, limit, now + SECOND / 10 - 1, counters));
    assertEquals(0, table.take(3, limit, now + SECOND / 10, counters));
    assertNotEquals(0, table.take(3, limit, now + SECOND / 10, counters));
    assertEquals(0, table.take(4, limit, now, counters), "another key");
    int admitted = 0;
    for (long at = now + SECOND; at < now + 11 * SECOND; at += SECOND / 100) {
      admitted += table.take(3, limit, at, counters) == 0 ? 1 : 0;
    }
    // The bucket was full at the beginning of these ten seconds.
    assertTrue(admitted >= 104 && admitted <= 105, admitted + " admitted");
    assertEquals(0, counters.rateKeysDisplaced);
  }

  @Test
  void aPenaltyBeginsWithTheFirstRefusalAndIsNotProlonged() {
    RateTable table = new RateTable(64);
    RateLimit limit = limit(10, 2, Duration.ofSeconds(60));
    long now = 5;
    assertEquals(0, table.take(3, limit, now, counters));
    assertEquals(0, table.take(3, limit, now, counters));
    assertEquals(60 * SECOND, table.take(3, limit, now, counters));
    for (int second = 1; second < 60; second++) {
      long left = table.take(3, limit, now + second * SECOND, counters);
      assertTrue(Math.abs(left - (60 - second) * SECOND) <= 1, left + " ns left");
    }
    assertTrue(table.take(3, limit, now + 60 * SECOND - 50_000_000, counters) > 0);
    assertEquals(0, table.take(3, limit, now + 60 * SECOND, counters));
    assertEquals(60 * SECOND, table.take(3, limit, now + 60 * SECOND, counters), "a new penalty");
  }

  @Test
  void threadsThatShareAKeyGetTogetherWhatOneWouldGet() throws Exception {
    RateTable table = new RateTable(64);
    RateLimit limit = limit(10, 1000, null);
    AtomicInteger admitted = new AtomicInteger();
    inThreads(
        4,
        thread -> {
          for (int i = 0; i < 5000; i++) {
            if (table.take(42, limit, 0, new LoopCounters(new CounterNames())) == 0) {
              admitted.incrementAndGet();
            }
          }
        });
    // A request that lost eight races in a row is not counted.
    assertTrue(admitted.get() >= 1000 && admitted.get() < 1020, admitted + " admitted");
  }

  @Test
  void aFullTableForgetsOnlyWhatItCounts() throws Exception {
    int threads = 4;
    int keys = 4096;
    int burst = 20;
    RateTable table = new RateTable(512);
    RateLimit limit = limit(1, burst, null);
    AtomicInteger admitted = new AtomicInteger();
    List<LoopCounters> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      all.add(new LoopCounters(new CounterNames()));
    }
    inThreads(
        threads,
        thread -> {
          SplittableRandom random = new SplittableRandom(thread);
          for (int i = 0; i < 50_000; i++) {
            long key = mixed(random.nextInt(keys));
            if (table.take(key, limit, 0, all.get(thread)) == 0) {
              admitted.incrementAndGet();
            }
          }
        });
    long displaced = all.stream().mapToLong(c -> c.rateKeysDisplaced).sum();
    assertTrue(displaced > 0);
    long bound = burst * (keys + displaced) + threads * displaced;
    assertTrue(admitted.get() <= bound, admitted + " admitted, bound " + bound);
  }

  @Test
  void whoeverIsPunishedStaysWhenOthersFillTheTable() {
    RateTable table = new RateTable(64);
    RateLimit limit = limit(1, 1, Duration.ofMinutes(10));
    assertEquals(0, table.take(mixed(-1), limit, 0, counters));
    assertTrue(table.take(mixed(-1), limit, 0, counters) > 0);
    for (int i = 0; i < 10_000; i++) {
      long ignored = table.take(mixed(i), limit, 0, counters);
    }
    assertTrue(counters.rateKeysDisplaced > 9000);
    assertTrue(table.take(mixed(-1), limit, SECOND, counters) > 0);
  }

  @Test
  void aSlotWhoseBucketIsFullAgainIsReusedWithoutLoss() {
    RateTable table = new RateTable(8);
    RateLimit limit = limit(1, 1, null);
    for (int i = 0; i < 1000; i++) {
      assertEquals(0, table.take(mixed(i), limit, i * SECOND, counters));
    }
    assertEquals(0, counters.rateKeysDisplaced);
  }

  @ParameterizedTest
  @CsvSource({
    "CLIENT,'',2001:db8::1,2001:db8::2,false",
    "CLIENT_NETWORK,'',2001:db8::1,2001:db8::2,true",
    "CLIENT_NETWORK,'',2001:db8::1,2001:db8:0:1::1,false",
    "CLIENT_NETWORK,'',192.0.2.1,192.0.2.2,false",
    "ROUTE,'',192.0.2.1,192.0.2.2,true",
    "HOST,'',192.0.2.1,192.0.2.2,true"
  })
  void clientsAreToldApart(
      RateLimitConfig.Kind kind, String field, String one, String other, boolean isSame) {
    RateKey keys = new RateKey(SECRET);
    RateLimit limit = RateLimit.of("p", config(kind, field, 1, 1, null));
    IpAddress first = IpAddress.of(one);
    IpAddress second = IpAddress.of(other);
    assertEquals(
        isSame,
        keys.of(limit, request(), "r", first.hi(), first.lo())
            == keys.of(limit, request(), "r", second.hi(), second.lo()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "HEADER | x-key | x-key: 1      | x-key: 2          | false",
        "HEADER | x-key | x-key: 1      | X-KEY: 1          | true",
        "HEADER | x-key | x-key: 1      | x-other: 1        | false",
        "HEADER | x-key | x-other: 1    | x-other: 2        | true",
        "COOKIE | id    | cookie: id=1  | cookie: a=b; id=1 | true",
        "COOKIE | id    | cookie: id=1  | cookie: xid=1     | false",
        "COOKIE | id    | cookie: id=1  | cookie: id=12     | false",
        "COOKIE | id    | cookie: id=1  | cookie: id        | false",
        "COOKIE | id    | cookie: a=1   | x: 1              | true"
      })
  void fieldsAndCookiesAreToldApart(
      RateLimitConfig.Kind kind, String field, String one, String other, boolean isSame) {
    RateKey keys = new RateKey(SECRET);
    RateLimit limit = RateLimit.of("p", config(kind, field, 1, 1, null));
    assertEquals(
        isSame,
        keys.of(limit, request(one), "r", 0, 0) == keys.of(limit, request(other), "r", 0, 0));
  }

  @Test
  void aLongValueIsBounded() {
    RateKey keys = new RateKey(SECRET);
    RateLimit limit = RateLimit.of("p", config(RateLimitConfig.Kind.HEADER, "x", 1, 1, null));
    long one = keys.of(limit, request("x: " + "a".repeat(50_000)), "r", 0, 0);
    assertNotEquals(one, keys.of(limit, request("x: " + "a".repeat(50_001)), "r", 0, 0));
  }

  @Test
  void countingARequestAllocatesNothing() {
    RateTable table = new RateTable(1024);
    InFlightTable inFlight = new InFlightTable(1024);
    RateKey keys = new RateKey(SECRET);
    RateLimit limit = limit(10, 5, Duration.ofSeconds(1));
    SyntheticRequest request = request();
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long thread = Thread.currentThread().threadId();
    long bytes = Long.MAX_VALUE;
    for (int round = 0; round < 20; round++) {
      long before = threads.getThreadAllocatedBytes(thread);
      for (int i = 0; i < 1000; i++) {
        long hash = keys.of(limit, request, "route", i, i);
        long ignored = table.take(hash, limit, i * 1000L, counters);
        table.charge(hash, 1000, i * 1000L, counters);
        long wait = inFlight.take(hash, 1) == InFlightTable.Taken.COUNTED ? 0 : 1;
        inFlight.giveBack(hash);
        assertEquals(0, wait);
      }
      bytes = Math.min(bytes, threads.getThreadAllocatedBytes(thread) - before);
    }
    assertTrue(bytes < 1000, bytes + " bytes for 1000 requests");
  }

  private static long mixed(long value) {
    return new SplittableRandom(value).nextLong();
  }

  private static SyntheticRequest request(String... lines) {
    HeaderFields.Builder fields = HeaderFields.builder();
    for (String line : lines) {
      int colon = line.indexOf(':');
      fields.add(line.substring(0, colon), line.substring(colon + 1).strip());
    }
    TargetUri uri =
        Objects.requireNonNull(PurgeUrl.parse("http://a.example/x")).targets().getFirst();
    return SyntheticRequest.of("GET", uri, fields.build());
  }

  private interface Work {
    void run(int thread);
  }

  private static void inThreads(int count, Work work) throws InterruptedException {
    CountDownLatch start = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int number = i;
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                try {
                  start.await();
                  work.run(number);
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              }));
    }
    start.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
  }
}
