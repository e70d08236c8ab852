package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Jar;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * The packaged jar with two disks, one of which fails in each way a disk can: no request fails that
 * the origin can answer, the process and the other disk go on, and the disk comes back when told
 * to.
 */
@Tag("full")
@Tag("alone")
final class DiskFaultIT {
  private static final int OBJECTS = 60;
  private static final Pattern RANGE = Pattern.compile("bytes=([0-9]+)-([0-9]+)");

  @TempDir Path directory;

  @SuppressWarnings("NullAway.Init")
  private FailingDisk failing;

  @SuppressWarnings("NullAway.Init")
  private PathOrigin origin;

  @SuppressWarnings("NullAway.Init")
  private EdgeProcess edge;

  @BeforeEach
  void start() throws Exception {
    failing = FailingDisk.mount(directory.resolve("failing"));
    origin = PathOrigin.start();
    for (int n = 0; n < 3 * OBJECTS; n++) {
      byte[] body = body(n);
      origin.on("/" + n, exchange -> answer(exchange, body));
    }
    edge =
        EdgeProcess.in(directory.resolve("edge"))
            .memory("16MiB")
            .config(
                """
                origins: {o: {url: "%s"}}
                routes: [{name: r, origin: o}]
                store: {scrub-rate: 0}
                # A busy machine may take half a second for a read of a file system in Python.
                stores:
                  bad: {path: "%s", size: 48MiB, max-errors: 3, slow: 1s, readers: 2}
                  good: {path: "%s", size: 48MiB}
                """
                    .formatted(origin.url(), failing.path(), directory.resolve("good")))
            .noisy()
            .start();
  }

  @AfterEach
  void stop() throws Exception {
    Tools.close(failing == null ? null : () -> failing.obey(""), edge, origin, failing);
  }

  /** What memory loses while it is sent is asked for by range, so ranges are answered. */
  private static void answer(PathOrigin.Exchange exchange, byte[] body) throws IOException {
    String fields = "Cache-Control: max-age=3600\r\nETag: \"1\"\r\n";
    Matcher range = RANGE.matcher(exchange.request().field("range"));
    if (!range.matches()) {
      exchange.respond(200, fields, body);
      return;
    }
    int first = Integer.parseInt(range.group(1));
    int last = Integer.parseInt(range.group(2));
    exchange.respond(
        206,
        fields + "Content-Range: bytes " + first + "-" + last + "/" + body.length + "\r\n",
        Arrays.copyOfRange(body, first, last + 1));
  }

  /** Some whole in their head, some of one slice, some of several; about 24 MB of 60. */
  private static byte[] body(int n) {
    byte[] body = new byte[n % 3 == 0 ? 20_000 : n % 3 == 1 ? 300_000 : 900_001];
    new SplittableRandom(n).nextBytes(body);
    return body;
  }

  /** Asks for objects; every one of them has to come, whole and right. */
  private void assertServed(int from, int to) throws Exception {
    for (int n = from; n < to; n++) {
      Response response = edge.get("/" + n);
      assertEquals(200, response.status(), response::toString);
      assertArrayEquals(body(n), response.body(), "object " + n);
    }
  }

  private JsonNode disk(String name) throws Exception {
    for (JsonNode store : Admin.json(edge.admin("/v1/stores").body()).path("stores")) {
      if (store.path("name").asString("").equals(name)) {
        return store;
      }
    }
    throw new AssertionError("no disk " + name);
  }

  private long figure(String disk, String name) throws Exception {
    return disk(disk).path(name).asLong(-1);
  }

  private void fill() throws Exception {
    assertServed(0, OBJECTS);
    Await.until(
        "records on both disks",
        () -> figure("bad", "writtenBytes") > 2 << 20 && figure("good", "writtenBytes") > 2 << 20);
  }

  private void assertFenced() throws Exception {
    Await.until("the disk is fenced", () -> isIn("bad", "fenced"));
    assertHarmless();
    assertServed(0, OBJECTS);
  }

  private boolean isBroughtBack() throws Exception {
    return edge.adminPost("/v1/stores/bad", "{\"action\":\"online\"}").statusCode() == 200;
  }

  private boolean isIn(String disk, String state) throws Exception {
    return disk(disk).path("state").asString("").equals(state);
  }

  private void assertHarmless() throws Exception {
    assertTrue(edge.isAlive());
    assertEquals("online", disk("good").path("state").asString(""));
    assertEquals(0, figure("good", "errors") + figure("good", "checksumFailures"));
    assertEquals(200, edge.admin("/healthz").statusCode());
  }

  /** What is right again is used again, from the first request on. */
  private void assertComesBack() throws Exception {
    failing.obey("");
    // A read that was slow may not have completed yet.
    Await.until("it can be used again", this::isBroughtBack);
    Jar.quick().run("store", "--admin-url", edge.adminUrl(), "online", "bad").orFail();
    assertTrue(isIn("bad", "online"));
    // Never asked for before, so that some of them are for this disk.
    long written = figure("bad", "writtenBytes");
    assertServed(2 * OBJECTS, 3 * OBJECTS);
    Await.until("it is written to again", () -> figure("bad", "writtenBytes") > written);
    assertServed(0, OBJECTS);
    long reads = figure("bad", "reads");
    assertServed(2 * OBJECTS, 3 * OBJECTS);
    assertTrue(figure("bad", "reads") > reads, "it is read from again");
    assertHarmless();
  }

  @Test
  void aDiskThatCannotBeReadIsFencedAndNobodyNotices() throws Exception {
    fill();
    failing.obey("read=EIO");
    assertServed(0, OBJECTS);
    assertFenced();
    assertTrue(figure("bad", "errors") >= 3);
    assertComesBack();
  }

  @Test
  void aDiskThatCannotBeWrittenIsFencedAndNobodyNotices() throws Exception {
    fill();
    failing.obey("write=EIO");
    assertServed(OBJECTS, 2 * OBJECTS);
    assertFenced();
    assertComesBack();
  }

  @Test
  void aDiskWithoutRoomIsFencedAndNobodyNotices() throws Exception {
    fill();
    failing.obey("write=ENOSPC");
    assertServed(OBJECTS, 2 * OBJECTS);
    assertFenced();
    assertComesBack();
  }

  @Test
  void aDiskThatAnswersAfterSecondsHoldsNobodyForLong() throws Exception {
    fill();
    failing.obey("read=3");
    long start = System.nanoTime();
    assertServed(0, OBJECTS);
    double seconds = (System.nanoTime() - start) / 1e9;
    // One after the other, with two readers, it would be a minute and a half.
    assertTrue(seconds < 40, "it took " + seconds + " s");
    assertFenced();
    assertComesBack();
  }

  @Test
  void aDiskThatNeverAnswersIsFencedAndHoldsNobody() throws Exception {
    fill();
    failing.obey("read=hang write=hang fsync=hang");
    assertServed(0, OBJECTS);
    assertFenced();
    Commands.Finished tooEarly =
        Jar.quick().run("store", "--admin-url", edge.adminUrl(), "online", "bad");
    assertEquals(1, tooEarly.exit(), tooEarly::toString);
    assertTrue(tooEarly.err().contains("has not completed yet"), tooEarly.err());
    assertServed(0, OBJECTS);
    // The kernel keeps a process that waits for a disk until that answers, even one that is killed.
    failing.obey("");
    Await.until("it has come back", () -> isBroughtBack());
    assertComesBack();
    assertEquals(0, edge.terminate());
    edge.restart();
    assertServed(0, OBJECTS);
    assertTrue(isIn("bad", "online"));
    assertHarmless();
  }

  @Test
  void aFileTruncatedUnderneathCostsWhatItHeld() throws Exception {
    fill();
    try (FileChannel file = FileChannel.open(failing.file(), StandardOpenOption.WRITE)) {
      file.truncate(1 << 20);
    }
    assertServed(0, OBJECTS);
    assertServed(0, OBJECTS);
    assertHarmless();
    assertTrue(figure("bad", "errors") + figure("bad", "checksumFailures") > 0, "nobody noticed");
    // Writes make it longer again, with holes, so it need not be fenced by itself.
    if (isIn("bad", "online")) {
      Jar.quick().run("store", "--admin-url", edge.adminUrl(), "offline", "bad").orFail();
    }
    assertComesBack();
    assertEquals(48L << 20, figure("bad", "bytes"));
    try (RandomAccessFile file = new RandomAccessFile(failing.file().toFile(), "r")) {
      assertTrue(file.length() > 40 << 20, "it has its length again: " + file.length());
    }
  }

  @Test
  void aDiskThatVanishesIsFencedAndComesBackWhenItIsThereAgain() throws Exception {
    fill();
    failing.vanish();
    assertServed(0, 2 * OBJECTS);
    assertFenced();
    Commands.Finished missing =
        Jar.quick().run("store", "--admin-url", edge.adminUrl(), "online", "bad");
    assertEquals(1, missing.exit(), missing::toString);
    assertTrue(missing.err().contains("is missing: mount the disk"), missing.err());
    assertTrue(isIn("bad", "fenced"));
    failing.mount();
    assertComesBack();
  }
}
