package io.forebay.server.origin.files;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.server.origin.call.OriginListener;
import io.forebay.server.origin.call.OriginRequest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A request that a directory answers.
 *
 * <pre>
 *   waiting for a place ──► opening ──► head ──► reading ──slice──► listener ──► end
 *          │                   │                   ▲  not while suspended │
 *          └──── failure ◄─────┴─────── failure ◄──┴──────────────────────┘
 * </pre>
 *
 * <p>The response has as many bytes as the file had when it was opened. If the file is another one
 * by the time its last bytes are read, they are not delivered, and the call fails: nothing takes
 * what came before for the whole (I3).
 *
 * <p>Confined to the event loop, but for the tasks of the threads, which know what they were given.
 */
public final class FileCall implements OriginCall {
  private static final int SLICE_BYTES = 64 * 1024;

  /** Learns what becomes of a call, on its loop and before its listener. */
  public interface Watch {
    void onHead(int status);

    void onBytes(int count);

    void onEnd();

    void onFailure(OriginFailure failure);
  }

  private final EventLoop loop;
  private final ByteBufAllocator allocator;
  private final FileReaders readers;
  private final OpenFiles places;
  private final ServedDirectory directory;
  private final OriginConfig config;
  private final OriginRequest request;
  private final OriginListener listener;
  private final Watch watch;

  /** No task that begins from now on opens a file. */
  private volatile boolean isOver;

  /** The file, unless a task has it. */
  private @Nullable OpenFile file;

  private long position;
  private long left;
  private boolean isReading;
  private boolean isSuspended;
  private @Nullable Future<?> total;
  private @Nullable Future<?> step;

  private FileCall(
      EventLoop loop,
      ByteBufAllocator allocator,
      FileReaders readers,
      ServedDirectory directory,
      OriginConfig config,
      OriginRequest request,
      OriginListener listener,
      Watch watch) {
    this.loop = loop;
    this.allocator = allocator;
    this.readers = readers;
    this.places = readers.of(config.name());
    this.directory = directory;
    this.config = config;
    this.request = request;
    this.listener = listener;
    this.watch = watch;
  }

  /** Sends a request; the listener is called after this has returned. */
  public static FileCall send(
      EventLoop loop,
      ByteBufAllocator allocator,
      FileReaders readers,
      ServedDirectory directory,
      OriginConfig config,
      OriginRequest request,
      OriginListener listener,
      Watch watch) {
    FileCall call =
        new FileCall(loop, allocator, readers, directory, config, request, listener, watch);
    call.start();
    return call;
  }

  private void start() {
    total =
        in(request.timeouts().totalOr(config.totalTimeout()), Kind.TOTAL_TIMEOUT, "not finished");
    step =
        in(
            request.timeouts().firstByteOr(config.firstByteTimeout()),
            Kind.FIRST_BYTE_TIMEOUT,
            "no response");
    boolean isTaken;
    try {
      isTaken =
          places.submit(this::open, config.maxConnections(), config.protection().maxWaiting());
    } catch (RejectedExecutionException e) {
      isTaken = false;
    }
    if (!isTaken) {
      loop.execute(() ->
          fail(
              Kind.TOO_MANY_CONNECTIONS,
              "all "
                  + config.maxConnections()
                  + " files that max-connections allows are open, and max-waiting requests"
                  + " wait"));
    }
  }

  private @Nullable Future<?> in(Duration timeout, Kind kind, String what) {
    return timeout.isPositive()
        ? loop.schedule(
            () -> fail(kind, what + " within " + timeout.toMillis() + " ms"),
            timeout.toNanos(),
            TimeUnit.NANOSECONDS)
        : null;
  }

  // --- on a thread that may block ---------------------------------------------------------------

  private void open() {
    if (isOver) {
      places.release();
      return;
    }
    FileReply reply;
    try {
      reply = directory.answer(request);
    } catch (RuntimeException | LinkageError e) {
      reply = new FileReply.Failed(new OriginFailure(Kind.DEFECT, directory.label() + ": " + e));
    }
    OpenFile opened = reply instanceof FileReply.Response response ? response.file() : null;
    if (opened == null) {
      places.release();
    }
    FileReply made = reply;
    tell(() -> onReply(made), opened);
  }

  private void read(OpenFile from, long at, int length, boolean isLast) {
    ByteBuf slice = slice(from, at, length, isLast);
    if (!tell(() -> onSlice(from, slice), from) && slice != null) {
      slice.release();
    }
  }

  /** Bytes of a file, or null if it has them no more, or if there is no memory for them. */
  private @Nullable ByteBuf slice(OpenFile from, long at, int length, boolean isLast) {
    ByteBuf slice;
    try {
      slice = allocator.directBuffer(length, length);
    } catch (OutOfMemoryError e) {
      return null;
    }
    if (from.read(slice, length, at) && (!isLast || from.isUnchanged())) {
      return slice;
    }
    slice.release();
    return null;
  }

  /** Tells the loop; where there is none any more, the file is closed. */
  private boolean tell(Runnable news, @Nullable OpenFile opened) {
    try {
      loop.execute(news);
      return true;
    } catch (RejectedExecutionException e) {
      if (opened != null) {
        opened.close();
        places.release();
      }
      return false;
    }
  }

  // --- on the loop ------------------------------------------------------------------------------

  private void onReply(FileReply reply) {
    if (reply instanceof FileReply.Failed failed) {
      fail(failed.failure());
      return;
    }
    FileReply.Response response = (FileReply.Response) reply;
    file = response.file();
    if (isOver) {
      closeFile();
      return;
    }
    stop(step);
    step = null;
    position = response.from();
    left = file == null ? 0 : response.length();
    boolean isHead = request.method().equals("HEAD");
    byte[] text = isHead ? new byte[0] : response.text();
    if (request.body().lengthBytes() != 0) {
      request.body().cancel();
    }
    watch.onHead(response.status());
    listener.onHead(response.status(), response.fields(), left + text.length, false);
    if (!isOver && text.length > 0) {
      deliver(Unpooled.wrappedBuffer(text));
    }
    proceed();
  }

  private void deliver(ByteBuf data) {
    watch.onBytes(data.readableBytes());
    listener.onData(data);
    if (!isOver) {
      listener.onReadComplete();
    }
  }

  /** Reads the next slice if one is wanted, or ends. */
  private void proceed() {
    OpenFile from = file;
    if (isOver || isReading) {
      return;
    }
    if (from == null || left == 0) {
      finish();
      watch.onEnd();
      listener.onEnd(HeaderFields.EMPTY);
      return;
    }
    if (isSuspended) {
      return;
    }
    int length = (int) Math.min(SLICE_BYTES, left);
    long at = position;
    boolean isLast = length == left;
    isReading = true;
    file = null;
    step =
        in(
            request.timeouts().idleOr(config.idleTimeout()),
            Kind.IDLE_TIMEOUT,
            "a read has not ended");
    try {
      readers.threads().execute(() -> read(from, at, length, isLast));
    } catch (RejectedExecutionException e) {
      isReading = false;
      file = from;
      fail(Kind.TRUNCATED, "this node is stopping");
    }
  }

  /** A slice was read, or null: the file is not what it was. */
  private void onSlice(OpenFile from, @Nullable ByteBuf slice) {
    isReading = false;
    file = from;
    stop(step);
    step = null;
    if (isOver) {
      if (slice != null) {
        slice.release();
      }
      closeFile();
      return;
    }
    if (slice == null) {
      fail(Kind.TRUNCATED, "a file was changed while it was read, or could not be read to its end");
      return;
    }
    position += slice.readableBytes();
    left -= slice.readableBytes();
    deliver(slice);
    proceed();
  }

  private void fail(Kind kind, String what) {
    fail(new OriginFailure(kind, directory.label() + ": " + what));
  }

  private void fail(OriginFailure failure) {
    if (!isOver) {
      finish();
      watch.onFailure(failure);
      listener.onFailure(failure);
    }
  }

  private void finish() {
    isOver = true;
    stop(total);
    stop(step);
    closeFile();
  }

  private static void stop(@Nullable Future<?> timer) {
    if (timer != null) {
      timer.cancel(false);
    }
  }

  private void closeFile() {
    OpenFile open = file;
    file = null;
    if (open == null) {
      return;
    }
    Runnable closing =
        () -> {
          open.close();
          places.release();
        };
    try {
      readers.threads().execute(closing);
    } catch (RejectedExecutionException e) {
      // The node is stopping: there is nobody left whom this could hold up.
      closing.run();
    }
  }

  @Override
  public void suspend() {
    isSuspended = true;
  }

  @Override
  public void resume() {
    isSuspended = false;
    // A file that is open was announced by its head, so this is not within a call to the listener
    // that opens it.
    if (file != null && !isReading && left > 0) {
      proceed();
    }
  }

  @Override
  public void cancel() {
    if (!isOver) {
      finish();
    }
  }
}
