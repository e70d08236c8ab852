package io.forebay.server.fill;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.deliver.BodyBytes;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.storage.lane.ObjectWriter;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Fetches one response from an origin into the store while any number of followers read it.
 *
 * <p>Owner: the loop of its origin connection, which is the loop that started it. Other loops read
 * {@code state} (published last, after head and writer), the writer's watermark, and join through
 * their own {@link FollowerGroup}. A fill is independent of all clients: the leader is told first
 * when the response may not be stored, because only it may have that one. Here is what all loops
 * see of it; its {@link FillTask} is the owner's alone.
 *
 * <pre>
 *   WAITING ──► STREAMING ──► COMPLETE        stored (or overtaken by a purge, but still readable)
 *      │             └──────► FAILED          the body broke off
 *      ├──► REFRESHED                         304: the stored object is fresh again
 *      ├──► VANISHED                          304, but what it confirms is gone: fetch it whole
 *      ├──► PART_STORED                       206: the head is stored, slices come by a run of their own
 *      ├──► UNSUITED                          206 or 416, but not what was asked for by range
 *      ├──► UNSTORABLE                        the leader has the stream, everybody else decides again
 *      └──► FAILED
 * </pre>
 */
public final class Fill {

  /** How far a fill has come. */
  public enum State {
    WAITING,
    STREAMING,
    COMPLETE,
    REFRESHED,
    VANISHED,
    PART_STORED,
    UNSUITED,
    UNSTORABLE,
    FAILED
  }

  private final FillContext loop;
  private final FillRequest order;
  private final long birth;

  // Published by the owner; `state` last.
  private @Nullable FillHead head;
  private @Nullable ObjectWriter writer;
  private @Nullable OriginFailure failure;
  private boolean isInstalled;
  private final InterimResponses interim;
  private volatile State state = State.WAITING;
  private volatile boolean isPaced;
  private volatile boolean wasJoined;

  /** The store has no space: further bytes wait until the leader takes them. */
  private volatile boolean isOutOfRoom;

  /** It continues for present readers only. */
  private volatile boolean isStreamOnly;

  // Shared.
  private final Followers followers;

  // The owner's.
  private final FillTask work;
  private Runnable whenOver = () -> {};

  /**
   * A fill that has not been sent yet.
   *
   * @param birth its number in the store's sequence: a purge with a later one overrules it
   */
  public Fill(FillContext loop, FillRequest order, long birth, @Nullable FillLeader leader) {
    this.loop = loop;
    this.order = order;
    this.birth = birth;
    this.interim = new InterimResponses(order);
    this.followers = new Followers(loop, order.followerLimit(), this::onGroupAdvanced);
    this.work = new FillTask(loop, order, birth, this, followers, leader);
  }

  // --- any loop ---------------------------------------------------------------------------------

  public State state() {
    return state;
  }

  public long birth() {
    return birth;
  }

  public FillRequest order() {
    return order;
  }

  /** The response's head; set in every state from STREAMING on but FAILED before a head. */
  public @Nullable FillHead head() {
    return head;
  }

  /** Interim responses so far, for all who have joined before the head came. */
  public List<InterimResponses.Interim> interim() {
    return interim.all();
  }

  /** Why it failed; set in FAILED. */
  public @Nullable OriginFailure failure() {
    return failure;
  }

  /**
   * The body as seen from a follower's loop; legal in STREAMING and COMPLETE.
   *
   * @param farBytes what lies so far behind the watermark is not waited for but read from there too
   * @param whatIsStored the object's slices as lookups find them, where they are no longer found
   *     through the fill
   */
  public FillBody body(FillContext own, long farBytes, Supplier<BodyBytes> whatIsStored) {
    return new FillBody(this, written(), own, farBytes, whatIsStored);
  }

  /**
   * The number of bytes at the body's beginning that the fill has released: the store may have
   * dropped them. Legal in STREAMING and COMPLETE.
   */
  public long releasedBytes() {
    return written().releasedBytes();
  }

  /** The object it is storing; legal in STREAMING and COMPLETE. */
  public long objectId() {
    return written().objectId();
  }

  private ObjectWriter written() {
    ObjectWriter source = writer;
    if (source == null) {
      throw new IllegalStateException("no body in state " + state);
    }
    return source;
  }

  /** How much of the body has come. */
  public long receivedBytes() {
    return completeLength();
  }

  /** Length of the whole body once it is complete. */
  public long completeLength() {
    ObjectWriter source = writer;
    return source == null ? 0 : source.watermark();
  }

  /** Whether the object is in the store, so that lookups find what the writer no longer can. */
  boolean isInstalled() {
    return state == State.COMPLETE && isInstalled;
  }

  /** Whether the store could not take the body: who has not begun to send had better not begin. */
  public boolean hasRunOutOfRoom() {
    return isOutOfRoom;
  }

  /**
   * Begins to read the body, for followers without another source: the bytes that they have not
   * read stay until {@link #endReading}. Legal in STREAMING and COMPLETE.
   *
   * @param floor of the follower, as {@link Follower#floor} says by now
   * @return false if no reader can begin any more, or bytes were already released
   */
  public boolean beginReading(FillContext own, boolean isLeader, long floor) {
    // Before the count: a release first refuses new readers and then reads the floors.
    followers.lowerFloor(own, floor);
    return written().beginReading(isLeader);
  }

  /** Exactly once after each {@link #beginReading} that was allowed. */
  public void endReading(boolean isLeader) {
    written().endReading(isLeader);
  }

  /** Whether readers must begin and end: lost bytes cannot be fetched again. */
  public boolean retainsUnread() {
    return written().retainsUnread();
  }

  /** Whether it continues for present readers only. */
  public boolean isStreamOnly() {
    return isStreamOnly;
  }

  /**
   * Joins. The follower must read {@link #state} afterwards, not before.
   *
   * @return false when there are too many followers already, or the fill has just been given up
   */
  public boolean join(Follower follower, FillContext own) {
    boolean isJoined = followers.join(follower, own);
    if (isJoined) {
      wasJoined = true;
    }
    return isJoined;
  }

  public void leave(Follower follower, FillContext own) {
    boolean wasLast = followers.leave(follower, own);
    if (wasLast && !isOver(state)) {
      loop.eventLoop().execute(work::onNoFollowers);
    }
    // It may have been the follower for which the origin is paused.
    onGroupAdvanced();
  }

  /** A group's fastest follower has moved on; called on the group's loop. */
  private void onGroupAdvanced() {
    if (isPaced || isOutOfRoom) {
      loop.eventLoop().execute(work::onAdvanced);
    }
  }

  /** A follower has read on; resumes an origin that was paused. Called on the follower's loop. */
  public void onFollowerAdvanced(FillContext own) {
    if (isPaced || isOutOfRoom) {
      followers.publish(own);
      onGroupAdvanced();
    }
  }

  // --- the owner's loop -------------------------------------------------------------------------

  /** Whether a client ever read it, or waited for it. */
  public boolean wasJoined() {
    return wasJoined;
  }

  /** Ends it if it is ahead of clients, and none has joined; called by any loop. */
  public void giveUp() {
    loop.eventLoop().execute(work::giveUp);
  }

  /** Sends the request. */
  public void start() {
    work.start();
  }

  /** Never sent: what it was to bring is in the store already. */
  public void withdraw() {
    work.withdraw();
  }

  /** The leader's client is gone, or the leader needs no stream of its own any more. */
  public void leaderGone() {
    work.leaderGone();
  }

  /**
   * Run once the origin is asked for it no more; at once if that is so. Instead of the last one.
   */
  public void whenOver(Runnable told) {
    if (isOver(state)) {
      told.run();
    } else {
      whenOver = told;
    }
  }

  private static boolean isOver(State state) {
    return state != State.WAITING && state != State.STREAMING;
  }

  // --- published by the owner -------------------------------------------------------------------

  void onInformational(int status, HeaderFields fields) {
    if (interim.add(status, fields)) {
      followers.wakeAll();
    }
  }

  void head(FillHead received) {
    head = received;
  }

  void writer(ObjectWriter begun) {
    writer = begun;
  }

  void installed() {
    isInstalled = true;
  }

  boolean isPaced() {
    return isPaced;
  }

  void isPaced(boolean isNow) {
    isPaced = isNow;
  }

  void runsOutOfRoom() {
    isOutOfRoom = true;
  }

  void onStreamOnly() {
    isStreamOnly = true;
  }

  /** After all that the state promises. */
  void publish(State next) {
    state = next;
    followers.wakeAll();
    if (isOver(next)) {
      Runnable told = whenOver;
      whenOver = () -> {};
      told.run();
    }
  }

  void fails(OriginFailure reason) {
    failure = reason;
    publish(State.FAILED);
  }
}
