package io.forebay.server.fill;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.ResponseFilter;
import io.forebay.core.route.Route;
import io.forebay.server.fill.Fill.State;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.origin.call.OriginListener;
import io.forebay.storage.lane.ObjectWriter;
import io.forebay.storage.object.InstallOutcome;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The work of a {@link Fill}: receives the origin's events and moves the fill from state to state.
 * {@link HeadVerdict} interprets the head, {@link FillWriter} writes.
 *
 * <p>It ends in one of three ways: the response is complete, it was aborted, or another listener
 * takes over the origin's remaining events.
 *
 * <p>Owner: the fill's loop.
 */
final class FillTask implements OriginListener, FillWriter.Owner {

  /** A deserted fill is finished when no more than this is missing. */
  private static final long FINISH_IF_MISSING_BYTES = 1 << 20;

  private static final long DROP_RETRY_MICROS = 50;

  private final FillContext loop;
  private final FillRequest order;
  private final long birth;

  /** What all see of it. */
  private final Fill fill;

  private final Followers followers;
  private final FillOutcomeRecorder outcomeRecorder;
  private final FillWriter intake;
  private final FillPacing pace;

  private @Nullable FillLeader leader;
  private @Nullable OriginCall call;
  private @Nullable OriginListener takenOver;

  /** A manifest whose body is still coming; nothing is decided about it. */
  private @Nullable HeldManifest held;

  /** Nothing more of the origin is for this fill. */
  private boolean isEnded;

  /** It counts as a fill without being registered. */
  private boolean isUnlisted;

  private long requestTimeMillis;

  FillTask(
      FillContext loop,
      FillRequest order,
      long birth,
      Fill fill,
      Followers followers,
      @Nullable FillLeader leader) {
    this.loop = loop;
    this.order = order;
    this.birth = birth;
    this.fill = fill;
    this.followers = followers;
    this.leader = leader;
    this.outcomeRecorder = new FillOutcomeRecorder(loop, order, birth);
    this.intake = new FillWriter(loop, order, birth, this);
    this.pace = new FillPacing(loop, fill, followers, intake, order.isBackground());
  }

  void start() {
    loop.counters().fillsStarted++;
    if (order.isConditional()) {
      loop.counters().revalidations++;
    }
    if (!order.isShared()) {
      isUnlisted = true;
      loop.fills().beginUnregistered();
    }
    requestTimeMillis = loop.nowMillis();
    OriginCall sent = loop.origins().send(order.route().originName(), order.originRequest(), this);
    call = sent;
    pace.begin(sent);
    if (!order.isAhead() && sent.isWaiting()) {
      loop.fills().giveWay();
    }
  }

  /** Never sent: what it was to bring is in the store already. */
  void withdraw() {
    // Requests that joined meanwhile look up again and find it.
    end(State.VANISHED);
  }

  void leaderGone() {
    leader = null;
    if (fill.hasRunOutOfRoom()) {
      // No follower is left to read the rest, and the origin is paused: that must not last.
      loop.eventLoop().execute(this::handRestOver);
    }
  }

  /** Whether what the origin sends is for this fill. */
  private boolean isListening() {
    return !isEnded && takenOver == null;
  }

  private OriginCall call() {
    OriginCall current = call;
    if (current == null) {
      throw new IllegalStateException("not started");
    }
    return current;
  }

  // --- the head ---------------------------------------------------------------------------------

  @Override
  public void onInformational(int status, HeaderFields fields) {
    FillLeader first = leader;
    if (first != null) {
      first.onInformational(status, fields);
    }
    fill.onInformational(status, fields);
  }

  @Override
  public void onFallback(String origin) {
    FillLeader first = leader;
    if (first != null) {
      first.onFallback(origin);
    }
  }

  @Override
  public void onPeer(String node) {
    FillLeader first = leader;
    if (first != null) {
      first.onPeer(node);
    }
  }

  @Override
  public void onHead(
      int status, HeaderFields received, long contentLength, boolean isCloseDelimited) {
    HeaderFields fields = ResponseFilter.received(order.route(), received);
    boolean isTimed = HeldManifest.isTimed(order, status, fields);
    held =
        isTimed
            ? HeldManifest.of(loop, order, status, fields, contentLength, isCloseDelimited)
            : null;
    if (held == null) {
      Route route = isTimed ? HeldManifest.unread(order) : order.route();
      decide(route, status, fields, contentLength, isCloseDelimited);
    }
  }

  /** Goes on with a held manifest as if its head came now. */
  private void letGo(HeldManifest manifest, boolean isWhole) {
    held = null;
    try {
      decide(
          manifest.timed(loop, isWhole),
          manifest.status(),
          manifest.fields(),
          manifest.contentLength(),
          manifest.isCloseDelimited());
      for (ByteBuf data = manifest.poll(); data != null; data = manifest.poll()) {
        onData(data);
      }
    } finally {
      manifest.end(loop);
    }
    onReadComplete();
  }

  /**
   * Continues as the head says.
   *
   * @param route the order's, perhaps with other lifetimes
   */
  private void decide(
      Route route, int status, HeaderFields fields, long contentLength, boolean isCloseDelimited) {
    HeadVerdict verdict =
        HeadVerdict.of(
            loop,
            order,
            route,
            birth,
            requestTimeMillis,
            status,
            fields,
            contentLength,
            isCloseDelimited);
    if (order.isAhead() && !isWantedAhead(verdict, status, contentLength)) {
      giveUpUnseen();
      return;
    }
    switch (verdict) {
      case HeadVerdict.Confirmed(FillRequest.StoredRef stale) ->
          new RevalidationUpdate(
                  loop,
                  order,
                  stale,
                  fields,
                  requestTimeMillis,
                  birth,
                  () -> isEnded,
                  this::onConfirmed)
              .begin();
      case HeadVerdict.Copied(VariantCopy copy) -> {
        loop.counters().revalidated++;
        loop.counters().variantsCopied++;
        intake.begin(copy.head());
        // As if the origin had sent it.
        onData(copy.body());
        onReadComplete();
      }
      case HeadVerdict.Unfounded ignored -> {
        outcomeRecorder.wasted();
        end(State.VANISHED);
      }
      case HeadVerdict.Whole(ReceivedHead whole) -> {
        if (outcomeRecorder.isStoringWasted(whole)) {
          becomeUnstorable(status, fields, contentLength, Reason.NOT_STORED_NEVER_CONFIRMED);
        } else {
          intake.begin(whole);
        }
      }
      case HeadVerdict.Part part -> beginPart(part);
      case HeadVerdict.Unsuited ignored -> becomeUnsuited(status);
      case HeadVerdict.Unstorable(Reason why, boolean isAsClientAsked) -> {
        if (!isAsClientAsked) {
          leader = null;
        }
        becomeUnstorable(status, fields, contentLength, why);
      }
    }
  }

  /** Errors, redirects, and what is larger than expected are left to clients that ask for them. */
  private boolean isWantedAhead(HeadVerdict verdict, int status, long contentLength) {
    return verdict instanceof HeadVerdict.Whole
        && status == 200
        && contentLength >= 0
        && contentLength <= order.aheadBytes();
  }

  /** As if it had never been: who has joined meanwhile looks up again, and asks the origin. */
  private void giveUpUnseen() {
    call().cancel();
    end(State.VANISHED);
  }

  /** A fetch ahead of clients is no longer worth it, unless one of them reads it by now. */
  void giveUp() {
    if (!order.isAhead() || !isListening() || !followers.closeIfEmpty()) {
      return;
    }
    if (fill.head() == null) {
      giveUpUnseen();
    } else {
      call().cancel();
      fail(new OriginFailure(OriginFailure.Kind.TRUNCATED, "the fetch ahead was given up"));
    }
  }

  private void onConfirmed(InstallOutcome outcome) {
    // Where fetches are not shared another 304 may have been quicker: it is as good as this one.
    boolean isFresh = outcome == InstallOutcome.INSTALLED || outcome == InstallOutcome.OLDER;
    if (isFresh) {
      outcomeRecorder.confirmed();
    } else {
      outcomeRecorder.wasted();
    }
    isEnded = true;
    leaveTable();
    if (isFresh) {
      loop.counters().revalidated++;
    }
    fill.publish(isFresh ? State.REFRESHED : State.VANISHED);
  }

  private void beginPart(HeadVerdict.Part part) {
    switch (PartialHead.store(loop, order, part.whole(), birth, outcomeRecorder)) {
      case PartialHead.Stored(FillHead head, PartialObject object) -> {
        fill.head(head);
        SliceFill run =
            followers.closeIfEmpty()
                ? null
                : SliceFill.ofAnswer(
                    loop, object, part.part(), birth, order.followerLimit(), call());
        if (run == null) {
          call().cancel();
        }
        takenOver = run;
        // The run is registered by now: who looks the object up finds both.
        end(State.PART_STORED);
      }
      case PartialHead.Unsuited ignored -> becomeUnsuited(206);
      case PartialHead.Overtaken ignored -> {
        call().cancel();
        end(State.VANISHED);
      }
      case PartialHead.NoRoom ignored -> {
        leader = null;
        becomeUnstorable(
            206, part.whole().fields(), part.part().length(), Reason.NOT_STORED_NO_ROOM);
      }
    }
  }

  /** The answer to a range is of no use to the store: everybody decides again. */
  private void becomeUnsuited(int status) {
    loop.counters().fillsUnstored++;
    call().cancel();
    leader = null;
    fill.head(FillHead.unstorable(status, order.key()));
    end(State.UNSUITED);
  }

  @Override
  public void onRefused(ReceivedHead received, Reason why) {
    becomeUnstorable(received.status(), received.fields(), received.totalLength(), why);
  }

  /** Nobody but the leader may have this response; the others decide again. */
  private void becomeUnstorable(int status, HeaderFields fields, long contentLength, Reason why) {
    outcomeRecorder.unstorable(why, status, fields);
    fill.head(FillHead.unstorable(status, order.key()));
    leaveTable();
    loop.counters().fillsUnstored++;
    fill.publish(State.UNSTORABLE);
    FillLeader first = leader;
    leader = null;
    OriginListener listener =
        first == null ? null : first.takeOver(status, fields, contentLength, why, call());
    if (listener == null) {
      call().cancel();
      isEnded = true;
      intake.abort();
    } else {
      takeOver(listener);
    }
  }

  // --- the body ---------------------------------------------------------------------------------

  @Override
  public void onBegun(StorableHead.Made made, ObjectWriter writer) {
    outcomeRecorder.storable(made);
    fill.head(made.head());
    fill.writer(writer);
    if (order.isShared() && !made.head().variantKey().equals(order.key())) {
      loop.fills().register(made.head().variantKey(), fill);
    }
    fill.publish(State.STREAMING);
    abandonIfNoFollowers();
  }

  @Override
  public void onData(ByteBuf data) {
    HeldManifest manifest = held;
    if (manifest != null) {
      if (!manifest.add(data)) {
        letGo(manifest, false);
      }
    } else if (takenOver != null) {
      takenOver.onData(data);
    } else if (isEnded || !intake.isOpen()) {
      data.release();
    } else {
      intake.add(data);
    }
  }

  @Override
  public void onReadComplete() {
    if (takenOver != null) {
      takenOver.onReadComplete();
    } else if (intake.writer() != null && !isEnded) {
      followers.wakeAll();
      pace();
    }
  }

  @Override
  public void onEnd(HeaderFields trailers) {
    HeldManifest manifest = held;
    if (manifest != null) {
      letGo(manifest, true);
    }
    if (takenOver != null) {
      isEnded = true;
      takenOver.onEnd(trailers);
    } else if (!isEnded && intake.isOpen()) {
      isEnded = true;
      intake.end();
    }
  }

  @Override
  public void onFinished(InstallOutcome outcome) {
    boolean isInstalled = outcome == InstallOutcome.INSTALLED;
    boolean isUnstored = outcome == InstallOutcome.NO_SPACE;
    if (isInstalled) {
      fill.installed();
      outcomeRecorder.installed();
    } else if (isUnstored) {
      outcomeRecorder.wasted();
    }
    leaveTable();
    if (isInstalled) {
      loop.counters().fillsInstalled++;
    } else if (isUnstored) {
      loop.counters().fillsUnstored++;
    }
    fill.publish(State.COMPLETE);
    if (isInstalled && loop.isPassing(order.route())) {
      followers.afterAllNotified(() -> loop.eventLoop().execute(this::drop));
    }
    ObjectWriter done = intake.writer();
    if (done != null && done.retainsUnread()) {
      // Who has waited for it begins to read first.
      followers.afterAllNotified(done::close);
    }
  }

  /** Another node owns it, and it is not to be kept. */
  private void drop() {
    FillHead stored = fill.head();
    if (stored != null
        && !loop.lane().drop(stored.variantKey().hi(), stored.variantKey().lo(), fill.objectId())) {
      loop.eventLoop().schedule(this::drop, DROP_RETRY_MICROS, TimeUnit.MICROSECONDS);
    }
  }

  @Override
  public void onFailure(OriginFailure reason) {
    HeldManifest manifest = held;
    if (manifest != null) {
      held = null;
      manifest.end(loop);
    }
    if (takenOver != null) {
      isEnded = true;
      takenOver.onFailure(reason);
    } else if (!isEnded) {
      fail(reason);
    }
  }

  @Override
  public void onWrongDigest(String detail) {
    loop.counters().digestMismatches++;
    fail(new OriginFailure(OriginFailure.Kind.INVALID_RESPONSE, detail));
  }

  private void fail(OriginFailure reason) {
    isEnded = true;
    outcomeRecorder.wasted();
    intake.abort();
    leaveTable();
    loop.counters().fillsFailed++;
    if (order.isAhead() && fill.head() == null) {
      // Who has joined has not asked the origin yet.
      fill.publish(State.VANISHED);
      return;
    }
    fill.fails(reason);
  }

  // --- pausing and resuming the origin ----------------------------------------------------------

  /** The fastest follower of some loop has moved on. */
  void onAdvanced() {
    ObjectWriter into = intake.writer();
    if (into != null) {
      // A fill that is paced by a reading follower makes progress.
      into.touch();
    }
    pace();
    handRestOver();
  }

  private void pace() {
    if (isListening()) {
      pace.onProgress();
    }
  }

  @Override
  public void onRoomChanged() {
    pace();
    followers.wakeAll();
  }

  // --- others take it over ----------------------------------------------------------------------

  /** Who reads has no other place to read from; who does not is sent elsewhere. */
  @Override
  public void onStreamOnly() {
    if (!fill.isStreamOnly()) {
      fill.onStreamOnly();
      leaveTable();
      followers.wakeAll();
    }
    pace();
  }

  /**
   * The origin waits until the leader has sent all that is stored, then the rest goes straight to
   * it (I9). Who follows goes on by slice; of what can't be had by slice nobody else reads by now.
   */
  @Override
  public void onOutOfRoom() {
    fill.runsOutOfRoom();
    leaveTable();
    onRoomChanged();
    loop.eventLoop().execute(this::handRestOver);
  }

  private void handRestOver() {
    if (!fill.hasRunOutOfRoom() || takenOver != null || fill.state() != State.STREAMING) {
      return;
    }
    OriginFailure noRoom =
        new OriginFailure(OriginFailure.Kind.TRUNCATED, "the store has no space for the rest");
    FillLeader first = leader;
    ObjectWriter partial = intake.writer();
    if (first == null || partial == null) {
      call().cancel();
      fail(noRoom);
      return;
    }
    OriginListener rest = first.takeOverRest(partial.watermark(), call());
    if (rest == null) {
      return;
    }
    leader = null;
    loop.counters().fillsUnstored++;
    fill.fails(noRoom);
    takeOver(rest);
  }

  /** From now on another listener receives the response and pauses the origin if necessary. */
  private void takeOver(OriginListener listener) {
    takenOver = listener;
    boolean wasPaused = pace.handOver(isEnded);
    intake.abort(wasPaused || isEnded || intake.holdsBytes() ? listener : null);
  }

  // --- the end ----------------------------------------------------------------------------------

  void onNoFollowers() {
    abandonIfNoFollowers();
    // What goes on without followers must not wait for one to advance.
    pace();
  }

  /** Nobody waits any more: worth finishing only when most of it is here. */
  private void abandonIfNoFollowers() {
    if (!isListening() || intake.writer() == null || order.isBackground()) {
      return;
    }
    if (!isNearlyDone() && followers.closeIfEmpty()) {
      call().cancel();
      isEnded = true;
      OriginFailure everybodyLeft =
          new OriginFailure(OriginFailure.Kind.TRUNCATED, "every client disconnected");
      intake.finishWithoutFollowers(() -> fail(everybodyLeft));
    }
  }

  private boolean isNearlyDone() {
    FillHead current = fill.head();
    long total = current == null ? -1 : current.totalLength();
    long written = fill.receivedBytes();
    return total >= 0 && (total - written <= FINISH_IF_MISSING_BYTES || written >= total / 2);
  }

  /** Nothing of this response is this fill's any more. */
  private void end(State last) {
    isEnded |= takenOver == null;
    leaveTable();
    fill.publish(last);
  }

  private void leaveTable() {
    if (isUnlisted) {
      isUnlisted = false;
      loop.fills().endUnregistered();
    }
    loop.fills().leave(order.key(), fill);
    FillHead current = fill.head();
    if (current != null && !current.variantKey().equals(order.key())) {
      loop.fills().leave(current.variantKey(), fill);
    }
  }
}
