package io.forebay.lab.load.client;

import io.forebay.lab.load.ErrorKind;
import io.forebay.lab.load.LoadPlan;
import io.forebay.lab.load.ObjectPath;
import io.forebay.lab.load.RequestDraw;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One thread's share of the load: keeps its connections open and gives each request that is due to
 * one that has room, the longest idle first.
 */
final class ClientLoop {
  private static final long LEAST_WAIT_NANOS = 20_000;
  private static final long RECONNECT_MILLIS = 100;
  private static final long MIN_SWEEP_MILLIS = 5;
  private static final long MAX_SWEEP_MILLIS = 100;

  private final LoadPlan plan;
  private final EventLoop thread;
  private final RequestDraw draw;
  private final List<ObjectPath> paths;
  private final Phases phases;
  private final Arrivals arrivals;
  private final Tally tally;
  private final Connector connector;
  private final @Nullable BodyCheck check;
  private final List<Slot> slots;
  private final ArrayDeque<Connection> free = new ArrayDeque<>();
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private final Runnable wake = this::woken;
  private final long timeoutNanos;

  /** {@link System#nanoTime} at which the load begins; meaningless before {@link #isStarted}. */
  private long start;

  private boolean isStarted;
  private boolean isOver;
  private long armedFor = Arrivals.NEVER;
  private int active;

  /** One answered attempt for each connection, good or bad, makes the loop ready. */
  private int unanswered;

  private final CompletableFuture<Integer> ready = new CompletableFuture<>();

  ClientLoop(
      LoadPlan plan,
      EventLoop thread,
      RequestDraw draw,
      int index,
      int loops,
      Connector connector,
      List<Slot> slots,
      @Nullable BodyCheck check) {
    this.plan = plan;
    this.thread = thread;
    this.draw = draw;
    this.connector = connector;
    this.slots = slots;
    this.check = check;
    paths = plan.objects().stream().map(object -> new ObjectPath(plan.prefix(), object)).toList();
    phases = new Phases(plan.phases());
    arrivals = new Arrivals(plan.phases(), index, loops);
    tally = new Tally(plan, phases);
    timeoutNanos = TimeUnit.MILLISECONDS.toNanos(plan.timeoutMillis());
    unanswered = slots.size();
  }

  LoadPlan plan() {
    return plan;
  }

  EventLoop thread() {
    return thread;
  }

  Tally tally() {
    return tally;
  }

  /** Since the load began; negative before. */
  long now() {
    return isStarted ? System.nanoTime() - start : -1;
  }

  /** Opens the connections; the future has the number of those that could be. */
  CompletableFuture<Integer> open() {
    thread.execute(() -> slots.forEach(this::connect));
    return ready;
  }

  /** Begins; the future ends with the last request. */
  CompletableFuture<Void> start(long atNanoTime) {
    thread.execute(() -> {
      start = atNanoTime;
      isStarted = true;
      long sweep = Math.clamp(plan.timeoutMillis() / 20, MIN_SWEEP_MILLIS, MAX_SWEEP_MILLIS);
      thread.scheduleAtFixedRate(this::sweep, sweep, sweep, TimeUnit.MILLISECONDS);
      pump();
    });
    return done;
  }

  private void connect(Slot slot) {
    if (!isOver) {
      connector.connect(this, slot, draw.resumes());
    }
  }

  /** A connection is open and takes requests. */
  void opened(Connection connection, boolean isResumed) {
    connection.slot.connection = connection;
    tally.connection(isResumed, now());
    answered();
    roomAgain(connection);
  }

  /** A connection could not be opened: tries again in a while. */
  void failed(Slot slot, ErrorKind kind) {
    long now = now();
    tally.error(kind, now, now);
    slot.emptySince = now;
    answered();
    thread.schedule(() -> connect(slot), RECONNECT_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void answered() {
    if (unanswered > 0 && --unanswered == 0) {
      int open = 0;
      for (Slot slot : slots) {
        if (slot.connection != null) {
          open++;
        }
      }
      ready.complete(open);
    }
  }

  /** A connection may have room that it had not. */
  void roomAgain(Connection connection) {
    if (!connection.isQueued && connection.hasRoom()) {
      connection.isQueued = true;
      connection.roomSince = now();
      free.add(connection);
    }
    pump();
  }

  /** A request of the connection has ended, well or not. */
  void finished(Connection connection) {
    active--;
    if (connection.isUsedUp() && connection.active() == 0) {
      closed(connection);
      connection.close();
    }
    roomAgain(connection);
  }

  /** A connection is closed, or will be at once: its place gets another one. */
  void closed(Connection connection) {
    Slot slot = connection.slot;
    if (Objects.equals(slot.connection, connection)) {
      slot.connection = null;
      slot.emptySince = now();
      connect(slot);
    }
  }

  /** Draws a request. */
  void draw(Request request, long due) {
    draw.next();
    request.begin(due);
    request.object = draw.object();
    request.number = draw.number();
    request.expected = plan.objects().get(request.object).bytes();
    if (check != null && plan.bodySeed() != null) {
      request.check = check.of(plan.bodySeed(), path(request).text(request.number));
    }
  }

  ObjectPath path(Request request) {
    return paths.get(request.object);
  }

  private void woken() {
    armedFor = Arrivals.NEVER;
    pump();
  }

  /** Sends what is due as far as there is room. */
  private void pump() {
    if (!isStarted || isOver) {
      return;
    }
    long now = now();
    while (true) {
      Connection connection = free.peek();
      if (connection == null) {
        break;
      }
      if (!connection.hasRoom()) {
        free.remove();
        connection.isQueued = false;
        continue;
      }
      long due = arrivals.peek();
      boolean isOpenLoop = due <= now;
      if (isOpenLoop) {
        arrivals.take();
        if (now - due > timeoutNanos) {
          tally.error(ErrorKind.LATE, due, now);
          continue;
        }
      } else if (phases.isClosedAt(now)) {
        due = Math.max(connection.freeSince, phases.beginAt(now));
      } else {
        break;
      }
      free.remove();
      connection.isQueued = false;
      // While all connections were busy it was the server that was late.
      long couldBegin = Math.max(due, connection.roomSince);
      active++;
      connection.begin(due);
      now = now();
      if (isOpenLoop) {
        tally.lateness(due, now - couldBegin);
      }
      if (!connection.isQueued && connection.hasRoom()) {
        connection.isQueued = true;
        free.add(connection);
      }
    }
    arm(now);
    endIfOver(now);
  }

  /** Wakes the loop when a request is due, or a closed loop begins, if there is room then. */
  private void arm(long now) {
    if (free.isEmpty()) {
      return;
    }
    long next = Math.min(arrivals.peek(), phases.nextClosedAfter(now));
    if (next < armedFor) {
      armedFor = next;
      thread.schedule(wake, Math.max(next - now, LEAST_WAIT_NANOS), TimeUnit.NANOSECONDS);
    }
  }

  private void sweep() {
    if (isOver) {
      return;
    }
    long now = now();
    for (Slot slot : slots) {
      Connection connection = slot.connection;
      if (connection != null && connection.active() > 0) {
        connection.expire(now - timeoutNanos);
      }
    }
    while (arrivals.peek() < now - timeoutNanos) {
      tally.error(ErrorKind.LATE, arrivals.peek(), now);
      arrivals.take();
    }
    endIfOver(now);
  }

  private void endIfOver(long now) {
    if (now >= phases.end() && arrivals.peek() == Arrivals.NEVER && active == 0 && !isOver) {
      isOver = true;
      for (Slot slot : slots) {
        if (slot.connection != null) {
          slot.connection.close();
        }
      }
      done.complete(null);
    }
  }
}
