package io.forebay.lab.load.client;

import io.forebay.lab.load.ErrorKind;
import io.forebay.lab.load.ObjectPath;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** HTTP/1.1, one request after the other. */
final class Http1Connection extends Connection {
  private static final byte[] GET = ascii("GET ");
  private static final int FIRST_HEAD_BYTES = 1024;
  private static final int MAX_HEAD_BYTES = 64 * 1024;

  /** Where in a response the connection is. */
  private enum State {
    IDLE,
    HEAD,
    LENGTH,
    CHUNKED,
    UNTIL_CLOSE
  }

  private final Request request = new Request();
  private final byte[] afterPath;
  private final Http1Head head = new Http1Head();
  private final ChunkedFraming chunks = new ChunkedFraming();
  private byte[] bytes = new byte[FIRST_HEAD_BYTES];
  private int held;
  private long left;
  private State state = State.IDLE;
  private boolean isEnding;
  private @Nullable ErrorKind cause;
  private @Nullable ChannelHandlerContext context;

  Http1Connection(ClientLoop loop, Slot slot) {
    super(loop, slot);
    afterPath = ascii(" HTTP/1.1\r\nHost: " + slot.target.authority() + "\r\n\r\n");
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  @Override
  boolean isReady() {
    return state == State.IDLE;
  }

  @Override
  boolean isEnding() {
    return isEnding;
  }

  @Override
  int active() {
    return state == State.IDLE ? 0 : 1;
  }

  @Override
  void send(long due) {
    loop.draw(request, due);
    state = State.HEAD;
    ChannelHandlerContext ctx = context;
    if (ctx == null) {
      return;
    }
    ObjectPath path = loop.path(request);
    ByteBuf out =
        ctx.alloc().directBuffer(GET.length + path.length(request.number) + afterPath.length);
    out.writeBytes(GET);
    path.write(out, request.number);
    out.writeBytes(afterPath);
    ctx.writeAndFlush(out, ctx.voidPromise());
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf in = (ByteBuf) message;
    try {
      read(in, loop.now());
    } catch (IllegalArgumentException malformed) {
      fail(ErrorKind.OTHER);
    } finally {
      in.release();
    }
  }

  private void read(ByteBuf in, long now) {
    while (in.isReadable()) {
      switch (state) {
        case IDLE -> {
          // Nothing was asked, or this connection is over.
          in.skipBytes(in.readableBytes());
          fail(ErrorKind.OTHER);
        }
        case HEAD -> {
          began(request, now);
          if (readHead(in)) {
            beginBody(in, now);
          }
        }
        case LENGTH -> {
          int count = (int) Math.min(left, in.readableBytes());
          body(request, in, count, now);
          in.skipBytes(count);
          left -= count;
          if (left == 0) {
            end(in, now);
          }
        }
        case CHUNKED -> {
          int count = chunks.data(in);
          body(request, in, count, now);
          in.skipBytes(count);
          chunks.taken(count);
          if (chunks.isOver()) {
            end(in, now);
          }
        }
        case UNTIL_CLOSE -> {
          int count = in.readableBytes();
          body(request, in, count, now);
          in.skipBytes(count);
        }
      }
    }
  }

  /** Whether the head is whole; its bytes are consumed. */
  private boolean readHead(ByteBuf in) {
    while (in.isReadable()) {
      if (held == bytes.length) {
        if (held == MAX_HEAD_BYTES) {
          throw new IllegalArgumentException("a head of more than " + MAX_HEAD_BYTES);
        }
        bytes = Arrays.copyOf(bytes, held * 2);
      }
      int more = Math.min(in.readableBytes(), bytes.length - held);
      in.getBytes(in.readerIndex(), bytes, held, more);
      int end = Http1Head.end(bytes, Math.max(0, held - 3), held + more);
      if (end >= 0) {
        in.skipBytes(end - held);
        held = 0;
        head.read(bytes, end);
        return true;
      }
      in.skipBytes(more);
      held += more;
    }
    return false;
  }

  private void beginBody(ByteBuf in, long now) {
    if (head.status() < 200) {
      return;
    }
    status(request, head.status());
    if (head.status() == 204 || head.status() == 304) {
      end(in, now);
    } else if (head.isChunked()) {
      chunks.begin();
      state = State.CHUNKED;
    } else if (head.length() > 0) {
      left = head.length();
      state = State.LENGTH;
    } else if (head.length() == 0) {
      end(in, now);
    } else {
      state = State.UNTIL_CLOSE;
    }
  }

  private void end(ByteBuf in, long now) {
    if (in.isReadable()) {
      // Longer than it says: what follows would be taken for the next response.
      request.failure = ErrorKind.BODY;
      isEnding = true;
      in.skipBytes(in.readableBytes());
    }
    isEnding |= head.isLast();
    state = State.IDLE;
    ended(request, now);
    loop.finished(this);
  }

  /** Ends the connection and what is under way on it. */
  private void fail(ErrorKind kind) {
    isEnding = true;
    if (state != State.IDLE) {
      state = State.IDLE;
      broken(request, kind, loop.now());
      loop.finished(this);
    } else {
      loop.closed(this);
      close();
    }
  }

  @Override
  void expire(long dueBefore) {
    if (state != State.IDLE && request.due < dueBefore) {
      fail(ErrorKind.TIMEOUT);
    }
  }

  @Override
  void close() {
    isEnding = true;
    if (context != null) {
      context.close();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    isEnding = true;
    if (state == State.UNTIL_CLOSE && cause == null) {
      state = State.IDLE;
      ended(request, loop.now());
      loop.finished(this);
    } else {
      fail(cause == null ? cutOff(request) : cause);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable thrown) {
    cause = kind(thrown);
    ctx.close();
  }

  static ErrorKind kind(Throwable thrown) {
    if (thrown instanceof SSLException || thrown.getCause() instanceof SSLException) {
      return ErrorKind.TLS;
    }
    return thrown instanceof java.io.IOException ? ErrorKind.RESET : ErrorKind.OTHER;
  }
}
