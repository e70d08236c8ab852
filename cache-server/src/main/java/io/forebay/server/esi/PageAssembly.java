package io.forebay.server.esi;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.KnownField;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.TargetUri;
import io.forebay.server.compress.CodingStream;
import io.forebay.server.compress.CodingWeights;
import io.forebay.server.compress.CompressionSettings;
import io.forebay.server.compress.Compressors;
import io.forebay.server.compress.ContentCoding;
import io.forebay.server.config.EsiConfig;
import io.forebay.server.counters.EsiCounters;
import io.forebay.server.deliver.CopyQuota;
import io.forebay.server.http.AbortCause;
import io.forebay.server.http.RequestBody;
import io.forebay.server.http.ResponseSink;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.Future;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The response to one request on a route that assembles pages. It begins the exchange of the page;
 * a response that is no page goes through it unchanged. Of a page it parses the body, requests the
 * fragments, some at a time, and writes everything in order.
 *
 * <p>What is not complete when it is due holds up what comes behind it, never what comes before.
 * The page and its fragments are read as far as there is room for what is held, so that a slow
 * client stops all of them.
 *
 * <p>Owner: the loop of the client's connection.
 */
public final class PageAssembly implements ResponseSink.Listener {

  private static final Logger LOG = LoggerFactory.getLogger(PageAssembly.class);

  /** FragmentRequests that are begun in one turn at most: a hit is served within the call. */
  private static final int STARTS_A_TURN = 32;

  private static final int ROUNDS_A_TURN = 8;

  private final EsiContext context;
  private final EsiConfig config;
  private final CompressionSettings compression;
  private final RequestView request;
  private final ResponseSink client;
  private final PageSink sink;
  private final Variables variables;
  private final FragmentRequests fragments;
  private final HeldBytes undecided;

  private final Deque<Include> waiting = new ArrayDeque<>();
  private final Set<FragmentSink> running = new LinkedHashSet<>();
  private final Set<EsiDocument> changed = new LinkedHashSet<>();
  private final Set<EsiDocument> decoding = new LinkedHashSet<>();

  private @Nullable EsiDocument root;
  private @Nullable PageOutput out;
  private @Nullable String coding;
  private @Nullable Future<?> timer;
  private int includes;
  private int started;
  private boolean isWorking;
  private boolean isQueued;
  private boolean isChanged;
  private boolean isEnding;
  private boolean isOver;

  private PageAssembly(
      EsiContext context,
      EsiConfig config,
      CompressionSettings compression,
      boolean stripsSurrogateControl,
      RequestView request,
      ResponseSink client,
      Subrequests exchanges) {
    this.context = context;
    this.config = config;
    this.compression = compression;
    this.request = request;
    this.client = client;
    this.sink = new PageSink(this, config, client, stripsSurrogateControl, request);
    this.variables = new Variables(request);
    this.fragments = new FragmentRequests(request, config, exchanges);
    this.undecided = new HeldBytes(context.copies());
  }

  /**
   * Answers a request whose route assembles pages.
   *
   * @param config of the route
   * @param compression of the route
   * @param stripsSurrogateControl whether clients do not get Surrogate-Control
   */
  public static void begin(
      EsiContext context,
      EsiConfig config,
      CompressionSettings compression,
      boolean stripsSurrogateControl,
      RequestView request,
      RequestBody body,
      ResponseSink client,
      Subrequests exchanges) {
    PageAssembly page =
        new PageAssembly(
            context, config, compression, stripsSurrogateControl, request, client, exchanges);
    client.listener(page);
    exchanges.start(request, body, page.sink, page.sink);
  }

  // --- for its parts ----------------------------------------------------------------------------

  EsiCounters counters() {
    return context.counters();
  }

  ByteBufAllocator allocator() {
    return context.allocator();
  }

  CopyQuota quota() {
    return context.copies();
  }

  EsiConfig.Limits limits() {
    return config.limits();
  }

  Variables variables() {
    return variables;
  }

  FragmentRequests fragments() {
    return fragments;
  }

  /** What is held until attempts are decided. */
  HeldBytes undecided() {
    return undecided;
  }

  /** Whether that is more than it may be. */
  boolean holdsTooMuch() {
    return undecided.bytes() > config.limits().fragmentBytes();
  }

  /** Counts an include; false where the page has as many as it may. */
  boolean countInclude() {
    return ++includes <= config.limits().includes();
  }

  @Nullable CodingStream decoder(ContentCoding of, EsiDocument into) {
    CodingStream opened = context.compressors().openDecoder(of, context.eventLoop(), into);
    if (opened != null) {
      decoding.add(into);
    }
    return opened;
  }

  /** The document is decoded no longer. */
  void decoded(EsiDocument into) {
    decoding.remove(into);
  }

  // --- the page ---------------------------------------------------------------------------------

  /**
   * The head of the page is sent; its body comes next.
   *
   * @param came how the body is coded, or null
   * @return where its body goes; null where it can't be decoded at present
   */
  @Nullable EsiDocument beginPage(@Nullable ContentCoding came) {
    EsiDocument page = new EsiDocument(this, TargetUri.of(request), 0, false);
    if (!page.begin(came, true)) {
      return null;
    }
    root = page;
    counters().pages++;
    long nanos = Math.max(1_000_000, config.limits().timeout().toNanos() / 4);
    timer =
        context
            .eventLoop()
            .scheduleAtFixedRate(this::checkProgress, nanos, nanos, TimeUnit.NANOSECONDS);
    return page;
  }

  /** The coding that the client gets a page in, or null. */
  @Nullable ContentCoding chooseCoding(HeaderFields source) {
    if (!isCompressible(source)) {
      return null;
    }
    boolean isPrivate = request.has(KnownField.COOKIE) || request.has(KnownField.AUTHORIZATION);
    return isPrivate && !compression.isPrivate()
        ? null
        : compression.choose(CodingWeights.of(request.fields()));
  }

  boolean isCompressible(HeaderFields source) {
    return compression.suits(source.without(name -> name.equals("content-encoding")), -1);
  }

  /** Opens the way to the client; null stands for identity, or where no place is free. */
  @Nullable CodingStream beginOutput(@Nullable ContentCoding chosen) {
    PageOutput begun = new PageOutput(this, client, config.limits().pageBytes());
    out = begun;
    coding = null;
    CodingStream stream =
        chosen == null
            ? null
            : context
                .compressors()
                .open(
                    Compressors.Use.STREAM,
                    chosen,
                    compression.streams().of(chosen),
                    -1,
                    context.eventLoop(),
                    begun);
    if (chosen != null && stream != null) {
      begun.encoder(stream);
      coding = chosen.token();
    }
    return stream;
  }

  /** The page is taken back while nothing of it has been seen; another response follows. */
  boolean retract() {
    EsiDocument page = root;
    PageOutput output = out;
    if (page == null
        || output == null
        || isOver
        || page.hasContent()
        || output.hasBegun()
        || !client.retractHead()) {
      return false;
    }
    counters().pages--;
    stopTimer();
    output.cancel();
    page.release();
    root = null;
    out = null;
    return true;
  }

  // --- turns ------------------------------------------------------------------------------------

  /** There is something to parse, or to find failed. */
  void changed(EsiDocument document) {
    changed.add(document);
    wake();
  }

  /** Calls back when whatever calls now is done. */
  void later(Runnable what) {
    context.eventLoop().execute(what);
  }

  /** Queues a turn. */
  void wake() {
    isChanged = true;
    if (!isWorking && !isQueued && !isOver) {
      isQueued = true;
      context.eventLoop().execute(this::turn);
    }
  }

  /** An include waits for a free place among the requests. */
  void awaitsTurn(Include include) {
    waiting.addLast(include);
  }

  void begins(FragmentSink fragment) {
    started++;
    running.add(fragment);
  }

  void ended(FragmentSink fragment) {
    running.remove(fragment);
    wake();
  }

  /**
   * What is due next is held until it is decided or complete. So that it does not wait for places
   * that are taken by what comes behind it, one request of it is always in progress.
   */
  void keepsGoing(PagePart node) {
    if (!node.isRunning()) {
      Include next = node.firstWaiting();
      if (next != null) {
        next.start();
      }
    }
  }

  private void turn() {
    isQueued = false;
    EsiDocument page = root;
    PageOutput output = out;
    if (isOver || page == null || output == null) {
      return;
    }
    isWorking = true;
    output.beginTurn();
    try {
      int rounds = ROUNDS_A_TURN;
      do {
        isChanged = false;
        parse();
        startWaiting();
        drain(page, output);
        resume();
      } while (isChanged && !isOver && --rounds > 0);
      if (!isOver) {
        output.flush();
      }
    } catch (RuntimeException | Error e) {
      LOG.error("a page could not be assembled: {}", page.uri(), e);
      breakOff(AbortCause.INTERNAL, "a defect");
      if (e instanceof Error error) {
        throw error;
      }
    } finally {
      isWorking = false;
    }
    if (isChanged || output.hasYielded()) {
      wake();
    }
  }

  private void parse() {
    while (!changed.isEmpty()) {
      List<EsiDocument> all = new ArrayList<>(changed);
      changed.clear();
      all.forEach(EsiDocument::parse);
    }
  }

  private void startWaiting() {
    int starts = 0;
    while (running.size() < config.limits().parallel() && !waiting.isEmpty()) {
      if (starts == STARTS_A_TURN) {
        isChanged = true;
        return;
      }
      Include next = waiting.removeFirst();
      if (next.isWaiting()) {
        starts++;
        next.start();
      }
    }
  }

  private void drain(EsiDocument page, PageOutput output) {
    if (isEnding) {
      return;
    }
    switch (page.drain(output)) {
      case WAITS -> {
        if (output.isTooLarge()) {
          giveUp("the page is larger than esi.page");
        }
      }
      case FAILED -> giveUp(page.why());
      case ALL -> {
        isEnding = true;
        output.flush();
        output.end();
      }
    }
  }

  private void resume() {
    EsiDocument page = root;
    if (isOver || page == null) {
      return;
    }
    for (EsiDocument coded : new ArrayList<>(decoding)) {
      coded.resume();
    }
    sink.resume(page);
    for (FragmentSink fragment : new ArrayList<>(running)) {
      fragment.resume();
    }
  }

  private void checkProgress() {
    long now = System.nanoTime();
    long timeout = config.limits().timeout().toNanos();
    for (FragmentSink fragment : new ArrayList<>(running)) {
      fragment.check(now, timeout);
    }
  }

  // --- the end ----------------------------------------------------------------------------------

  /** All of the page is with the client's sink. */
  void onEnded() {
    close();
    sink.finish();
  }

  void onEncodingFailed(Throwable why) {
    LOG.error("a page could not be compressed", why);
    breakOff(AbortCause.INTERNAL, "its compression failed");
  }

  /** The page can't be completed. */
  private void giveUp(String why) {
    counters().broken++;
    breakOff(AbortCause.ORIGIN_FAILED, "esi: " + why);
  }

  private void breakOff(AbortCause cause, String detail) {
    if (isOver) {
      return;
    }
    sink.told(record -> record.brokenOff(cause.name(), detail));
    PageOutput output = out;
    if (output != null) {
      // What is not flushed would be dropped.
      output.flush();
    }
    close();
    client.abort(cause);
    sink.cancel();
  }

  /** The exchange of the page broke off. */
  void onPageAborted(AbortCause cause) {
    if (!isOver) {
      PageOutput output = out;
      if (output != null) {
        output.flush();
      }
      close();
      client.abort(cause);
    }
  }

  @Override
  public void onWritable() {
    if (root == null) {
      sink.onWritable();
    } else {
      wake();
    }
  }

  @Override
  public void onClosed() {
    if (root == null) {
      sink.onClosed();
    } else if (!isOver) {
      close();
      sink.clientGone();
    }
  }

  @Override
  public void onRefused(int status, String detail) {
    if (root == null) {
      sink.onRefused(status, detail);
    } else if (!isOver) {
      close();
      sink.refused(status, detail);
    }
  }

  /** Ends all requests and gives back what is held. The page's own exchange is not ended. */
  private void close() {
    if (isOver) {
      return;
    }
    isOver = true;
    stopTimer();
    PageOutput output = out;
    sink.told(record -> record.assembled(started, output == null ? 0 : output.sentBytes(), coding));
    if (output != null) {
      output.cancel();
    }
    EsiDocument page = root;
    if (page != null) {
      page.release();
    }
    waiting.clear();
    changed.clear();
    for (FragmentSink fragment : new ArrayList<>(running)) {
      fragment.cancel();
    }
  }

  boolean isOver() {
    return isOver;
  }

  private void stopTimer() {
    Future<?> scheduled = timer;
    timer = null;
    if (scheduled != null) {
      scheduled.cancel(false);
    }
  }
}
