package io.forebay.server.warm;

import io.forebay.core.http.HttpDate;
import io.forebay.server.json.Json;
import io.forebay.server.media.DashManifest;
import io.forebay.server.media.HlsPlaylist;
import io.forebay.server.node.NodeControl;
import io.forebay.server.text.Printable;
import io.forebay.server.warm.LoopbackClient.Answer;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * One warm-up: a queue of URLs, a few virtual threads that request them from the node, and the
 * results. Sitemaps are read one at a time, on one platform thread of the job ({@link
 * SitemapReader}). The number and total length of URLs are limited, and only the newest results are
 * kept.
 */
public final class WarmJob {
  static final int MAX_URLS = 100_000;
  static final int MAX_RESULTS = 10_000;
  static final int MAX_PAGE = 1_000;
  private static final long MAX_CHARACTERS = 32L << 20;
  static final int MAX_DEPTH = 4;

  /** Of all sitemaps of a job together, decompressed. */
  static final long MAX_XML_BYTES = 1L << 30;

  /** One manifest at a time: the work would hold all carriers, which the admin API shares. */
  private static final ReentrantLock PARSING = new ReentrantLock();

  private static final Logger LOG = LoggerFactory.getLogger(WarmJob.class);

  /** How far a job is. */
  enum State {
    RUNNING,
    DONE,
    CANCELLED
  }

  /**
   * What became of one URL.
   *
   * @param sequence from 1, in order of completion
   * @param status 0 when there was no whole answer
   * @param cache what {@code Cache-Status} said
   * @param error null when the answer was whole and below 400
   */
  private record Result(
      long sequence,
      String url,
      int status,
      long bytes,
      String cache,
      double millis,
      @Nullable String error) {}

  private record Item(WarmUrl url, int depth, boolean isSitemap) {}

  private final long id;
  private final WarmRequest order;
  private final NodeControl node;
  private final String userAgent;
  private final ServedUrls served;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  // All below is guarded by the lock.
  private final Deque<Item> queue = new ArrayDeque<>();
  private final Deque<Item> sitemaps = new ArrayDeque<>();
  private final Set<String> seen = new HashSet<>();
  private final Deque<Result> results = new ArrayDeque<>();
  private final List<Thread> workers = new ArrayList<>();
  private @Nullable LoopbackClient sitemapClient;
  private State state = State.RUNNING;
  private long characters;
  private int inFlight;
  private int workersLeft;
  private long nextStartNanos;
  private long completed;
  private long ok;
  private long failed;
  private long refused;
  private long hits;
  private long bytes;
  private long leftOut;

  /** Of sitemaps; only their thread uses it. */
  private long xmlBytes;

  WarmJob(long id, WarmRequest order, NodeControl node, String userAgent) {
    this.id = id;
    this.order = order;
    this.node = node;
    this.userAgent = userAgent;
    this.served = ServedUrls.of(node.config());
    this.nextStartNanos = System.nanoTime();
  }

  long id() {
    return id;
  }

  void start() {
    lock.lock();
    try {
      for (String url : order.urls()) {
        offer(url, WarmUrl.parse(url), 0, false);
      }
      for (String url : order.sitemaps()) {
        offer(url, WarmUrl.parse(url), 0, true);
      }
      for (int i = 0; i < order.concurrency(); i++) {
        workers.add(
            Thread.ofVirtual()
                .name("warm-" + id + "-" + i)
                .unstarted(() -> work(new LoopbackClient(node, userAgent), queue, sitemaps)));
      }
      if (!sitemaps.isEmpty()) {
        LoopbackClient client = new LoopbackClient(node, userAgent);
        sitemapClient = client;
        workers.add(
            Thread.ofPlatform()
                .daemon()
                .name("warm-sitemap-" + id)
                .unstarted(() -> work(client, sitemaps, queue)));
      }
      workersLeft = workers.size();
      workers.forEach(Thread::start);
    } finally {
      lock.unlock();
    }
  }

  /** Ends the job after nothing; requests under way are broken off. */
  public void cancel() {
    lock.lock();
    try {
      if (state == State.RUNNING) {
        state = State.CANCELLED;
        queue.clear();
        sitemaps.clear();
        changed.signalAll();
        workers.forEach(Thread::interrupt);
        // The interrupt of a platform thread does not end its read.
        if (sitemapClient != null) {
          sitemapClient.abort();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  boolean isRunning() {
    lock.lock();
    try {
      return workersLeft > 0;
    } finally {
      lock.unlock();
    }
  }

  /** State and totals. */
  public ObjectNode summary() {
    lock.lock();
    try {
      ObjectNode summary = Json.object();
      summary.put("job", id);
      summary.put("state", state.name().toLowerCase(Locale.ROOT));
      ObjectNode totals = summary.putObject("totals");
      totals.put("found", completed + inFlight + queue.size() + sitemaps.size());
      totals.put("completed", completed);
      totals.put("ok", ok);
      totals.put("failed", failed);
      totals.put("refused", refused);
      totals.put("hits", hits);
      totals.put("bytes", bytes);
      totals.put("leftOut", leftOut);
      return summary;
    } finally {
      lock.unlock();
    }
  }

  /** State, totals and the results past {@code after}, a page at most. */
  public ObjectNode report(long after) {
    lock.lock();
    try {
      ObjectNode report = summary();
      ArrayNode page = report.putArray("results");
      long next = after;
      for (Result result : results) {
        if (result.sequence() <= after) {
          continue;
        }
        if (page.size() == MAX_PAGE) {
          break;
        }
        next = result.sequence();
        ObjectNode one = page.addObject();
        one.put("n", result.sequence());
        one.put("url", result.url());
        one.put("status", result.status());
        one.put("bytes", result.bytes());
        one.put("cache", result.cache());
        one.put("millis", result.millis());
        if (result.error() != null) {
          one.put("error", result.error());
        }
      }
      report.put("next", next);
      report.put("more", next < completed);
      return report;
    } finally {
      lock.unlock();
    }
  }

  /** Works on one queue until neither it nor what is under way can bring more. */
  private void work(LoopbackClient own, Deque<Item> from, Deque<Item> other) {
    try (LoopbackClient client = own) {
      Item item;
      while ((item = take(from, other)) != null) {
        fetch(client, item);
      }
    } finally {
      lock.lock();
      try {
        workersLeft--;
        if (workersLeft == 0 && state == State.RUNNING) {
          state = State.DONE;
        }
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  /** The next URL in its turn, or null when there is and will be none. */
  private @Nullable Item take(Deque<Item> from, Deque<Item> other) {
    long startNanos;
    Item item;
    lock.lock();
    try {
      while (from.isEmpty() && (inFlight > 0 || !other.isEmpty()) && state == State.RUNNING) {
        changed.awaitUninterruptibly();
      }
      item = state == State.RUNNING ? from.poll() : null;
      if (item == null) {
        changed.signalAll();
        return null;
      }
      inFlight++;
      startNanos = Math.max(System.nanoTime(), nextStartNanos);
      if (order.ratePerSecond() > 0) {
        nextStartNanos = startNanos + (long) (1e9 / order.ratePerSecond());
      }
    } finally {
      lock.unlock();
    }
    long wait;
    while ((wait = startNanos - System.nanoTime()) > 0 && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(this, wait);
    }
    return item;
  }

  private void fetch(LoopbackClient client, Item item) {
    long start = System.nanoTime();
    int status = 0;
    long length = 0;
    String cache = "unknown";
    String error = null;
    try {
      Answer answer =
          client.get(item.url(), (code, fields, body) -> follow(item, code, fields, body));
      status = answer.status();
      length = answer.bytes();
      cache = CacheStatusParser.result(answer.fields().get("cache-status"));
      if (status >= 400 || (item.isSitemap() && status != 200)) {
        error = "status " + status;
      }
    } catch (SitemapReader.RefusedException | DashManifest.RefusedException e) {
      // There was an answer; the rest of it is not worth reading.
      status = 200;
      error = String.valueOf(e.getMessage());
    } catch (IOException e) {
      error = Printable.json(e.getMessage() == null ? e.toString() : e.getMessage());
    } catch (RuntimeException e) {
      // A worker that ended here would leave the others waiting for what it was to find.
      LOG.error("warm-up job {}: {}", id, item.url().text(), e);
      client.close();
      error = "internal error, see the log";
    }
    double millis = Json.millis(System.nanoTime() - start);
    lock.lock();
    try {
      inFlight--;
      if (state == State.CANCELLED) {
        // It was broken off by the cancellation, which is no failure of the URL.
        changed.signalAll();
        return;
      }
      if (error == null) {
        ok++;
      } else {
        failed++;
      }
      if (cache.equals("hit")) {
        hits++;
      }
      bytes += length;
      note(item.url().text(), status, length, cache, millis, error);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Queues what a body leads to, while it is read. */
  private void follow(Item item, int status, Map<String, String> fields, InputStream body)
      throws IOException {
    if (status != 200) {
      return;
    }
    if (item.isSitemap()) {
      followSitemap(item, fields.getOrDefault("content-encoding", ""), body);
    } else if (!order.isFollowing() || item.depth() >= MAX_DEPTH) {
      return;
    } else if (DashManifest.isManifest(path(item), fields.getOrDefault("content-type", ""))) {
      followManifest(item, now(fields), body.readNBytes(DashManifest.MAX_BYTES + 1));
    } else if (isPlaylist(item, fields)) {
      byte[] text = body.readNBytes(HlsPlaylist.MAX_CHARS + 1);
      if (text.length <= HlsPlaylist.MAX_CHARS) {
        HlsPlaylist.parse(new String(text, StandardCharsets.UTF_8))
            .ifPresent(playlist -> followPlaylist(item, playlist));
      }
    }
  }

  private void followPlaylist(Item item, HlsPlaylist playlist) {
    for (HlsPlaylist.Reference reference : playlist.references()) {
      // The response to a hint may be yet to come.
      if (reference.kind() != HlsPlaylist.Kind.PART_HINT
          && reference.kind() != HlsPlaylist.Kind.MAP_HINT) {
        offerLocked(reference.uri(), item.url().resolve(reference.uri()), item.depth() + 1, false);
      }
    }
  }

  private void followSitemap(Item item, String coding, InputStream body) throws IOException {
    long left = MAX_XML_BYTES - xmlBytes;
    if (left <= 0) {
      throw new SitemapReader.RefusedException(
          "the job's sitemaps have more than " + MAX_XML_BYTES + " bytes uncompressed");
    }
    SitemapReader reader =
        new SitemapReader(SitemapReader.Bounds.DEFAULT.withXmlBytes(left), System::nanoTime);
    try {
      reader.read(
          body,
          coding,
          (location, isSitemap) ->
              offerLocked(location, WarmUrl.parse(location), item.depth() + 1, isSitemap));
    } finally {
      xmlBytes += reader.xmlBytes();
    }
  }

  /** The time by the clock of the origin, which says what of a live presentation is there. */
  private static Instant now(Map<String, String> fields) {
    long date = HttpDate.parse(fields.getOrDefault("date", ""), 0);
    String age = fields.getOrDefault("age", "0");
    return date == HttpDate.INVALID || !age.matches("\\d{1,9}")
        ? Instant.EPOCH
        : Instant.ofEpochMilli(date).plusSeconds(Long.parseLong(age));
  }

  private void followManifest(Item item, Instant now, byte[] document) throws IOException {
    URI url;
    try {
      url = new URI(item.url().text());
    } catch (URISyntaxException e) {
      throw new IOException("references cannot be resolved against this URL");
    }
    DashManifest manifest;
    PARSING.lock();
    try {
      manifest = DashManifest.parse(document, url, now, MAX_URLS);
    } finally {
      PARSING.unlock();
    }
    for (DashManifest.Representation representation : manifest.representations()) {
      for (String reference : representation.urls()) {
        offerLocked(reference, WarmUrl.parse(reference), item.depth() + 1, false);
      }
    }
    if (!manifest.isWhole()) {
      lock.lock();
      try {
        leftOut++;
      } finally {
        lock.unlock();
      }
    }
  }

  private static String path(Item item) {
    String target = item.url().target();
    int query = target.indexOf('?');
    return (query < 0 ? target : target.substring(0, query)).toLowerCase(Locale.ROOT);
  }

  private static boolean isPlaylist(Item item, Map<String, String> fields) {
    String type = fields.getOrDefault("content-type", "").toLowerCase(Locale.ROOT);
    return path(item).endsWith(".m3u8") || type.contains("mpegurl");
  }

  private void offerLocked(String text, @Nullable WarmUrl url, int depth, boolean isSitemap) {
    lock.lock();
    try {
      offer(text, url, depth, isSitemap);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Queues a URL that is new, may be asked for and has room; with the lock held. */
  private void offer(String text, @Nullable WarmUrl url, int depth, boolean isSitemap) {
    if (state != State.RUNNING) {
      return;
    }
    if (url == null || !served.isServed(url)) {
      refused++;
      note(
          Printable.json(text),
          0,
          0,
          "unknown",
          0,
          url == null ? "not an http or https URL" : "no route of this node matches it");
      return;
    }
    if (seen.contains(url.text())) {
      return;
    }
    if (isSitemap && depth > MAX_DEPTH) {
      refused++;
      note(url.text(), 0, 0, "unknown", 0, "sitemap indexes are nested deeper than " + MAX_DEPTH);
      return;
    }
    if (seen.size() >= MAX_URLS || characters + url.text().length() > MAX_CHARACTERS) {
      leftOut++;
      return;
    }
    seen.add(url.text());
    characters += url.text().length();
    (isSitemap ? sitemaps : queue).add(new Item(url, depth, isSitemap));
  }

  private void note(
      String url, int status, long length, String cache, double millis, @Nullable String error) {
    completed++;
    results.add(new Result(completed, url, status, length, cache, millis, error));
    if (results.size() > MAX_RESULTS) {
      results.removeFirst();
    }
  }
}
