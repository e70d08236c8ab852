package io.forebay.lab.load.client;

import io.forebay.lab.load.ErrorKind;
import io.forebay.lab.load.ObjectPath;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.handler.codec.quic.DefaultQuicStreamFrame;
import io.netty.handler.codec.quic.QuicChannel;
import io.netty.handler.codec.quic.QuicStreamChannel;
import io.netty.handler.codec.quic.QuicStreamLimitChangedEvent;
import io.netty.handler.codec.quic.QuicStreamType;
import io.netty.util.concurrent.Future;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/3 (RFC 9114), as far as a client of GET needs it: a control stream without settings of its
 * own, and no dynamic table, so no streams for one.
 */
final class Http3Connection extends Connection {
  /** A control stream with an empty SETTINGS frame. */
  private static final byte[] CONTROL = {0x00, 0x04, 0x00};

  private static final int REQUEST_CANCELLED = 0x10C;
  private static final int PATH_EXTRA = 32;

  private final QuicChannel channel;
  private final byte[] authority;
  private final int mostStreams;
  private final Set<Stream> streams = new LinkedHashSet<>();
  private boolean isEnding;

  Http3Connection(ClientLoop loop, Slot slot, QuicChannel channel) {
    super(loop, slot);
    this.channel = channel;
    authority = slot.target.authority().getBytes(StandardCharsets.US_ASCII);
    mostStreams = loop.plan().streams();
    channel
        .createStream(QuicStreamType.UNIDIRECTIONAL, new Http3Discard())
        .addListener((Future<QuicStreamChannel> created) -> {
          if (created.isSuccess()) {
            created.getNow().writeAndFlush(Unpooled.wrappedBuffer(CONTROL));
          } else {
            close();
          }
        });
  }

  @Override
  boolean isReady() {
    return streams.size() < mostStreams
        && channel.isActive()
        && channel.peerAllowedStreams(QuicStreamType.BIDIRECTIONAL) > 0;
  }

  @Override
  boolean isEnding() {
    return isEnding;
  }

  @Override
  int active() {
    return streams.size();
  }

  @Override
  void send(long due) {
    Stream stream = new Stream();
    loop.draw(stream.request, due);
    streams.add(stream);
    channel
        .createStream(QuicStreamType.BIDIRECTIONAL, stream)
        .addListener((Future<QuicStreamChannel> created) -> {
          if (created.isSuccess()) {
            created.getNow().writeAndFlush(new DefaultQuicStreamFrame(head(stream), true));
          } else {
            isEnding = true;
            stream.end(ErrorKind.RESET);
          }
        });
  }

  private ByteBuf head(Stream stream) {
    ObjectPath path = loop.path(stream.request);
    int pathLength = path.length(stream.request.number);
    ByteBuf out = channel.alloc().directBuffer(authority.length + pathLength + PATH_EXTRA);
    // HEADERS with a length of two bytes.
    out.writeByte(0x01).writeShort(0);
    int begin = out.writerIndex();
    // No dynamic table; of the static one :method GET, :scheme https, :authority and :path.
    out.writeShort(0).writeByte(0xD1).writeByte(0xD7).writeByte(0x50);
    FieldStatus.writeInteger(out, 0, 7, authority.length);
    out.writeBytes(authority).writeByte(0x51);
    FieldStatus.writeInteger(out, 0, 7, pathLength);
    path.write(out, stream.request.number);
    out.setShort(begin - 2, 0x4000 | (out.writerIndex() - begin));
    return out;
  }

  @Override
  void expire(long dueBefore) {
    for (Stream stream : new ArrayList<>(streams)) {
      if (stream.request.due < dueBefore) {
        stream.cancel();
        stream.end(ErrorKind.TIMEOUT);
      }
    }
  }

  @Override
  void close() {
    isEnding = true;
    channel.close();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    isEnding = true;
    for (Stream stream : new ArrayList<>(streams)) {
      stream.end(cutOff(stream.request));
    }
    loop.closed(this);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof QuicStreamLimitChangedEvent) {
      loop.roomAgain(this);
    }
    ctx.fireUserEventTriggered(event);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable thrown) {
    ctx.close();
  }

  /** One request. */
  private final class Stream extends ChannelInboundHandlerAdapter {
    private final Request request = new Request();
    private final Http3Frames frames = new Http3Frames();
    private boolean hasStatus;
    private @Nullable ChannelHandlerContext context;

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
      context = ctx;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf in = (ByteBuf) message;
      try {
        if (streams.contains(this)) {
          read(in, loop.now());
        }
      } catch (IllegalArgumentException malformed) {
        cancel();
        end(ErrorKind.OTHER);
      } finally {
        in.release();
      }
    }

    private void read(ByteBuf in, long now) {
      began(request, now);
      while (in.isReadable()) {
        int count = frames.data(in);
        if (count > 0) {
          body(request, in, count, now);
          in.skipBytes(count);
          frames.taken(count);
        }
        int status = frames.takeStatus();
        if (status >= 100 && status < 200) {
          request.firstByte = -1;
        } else if (status >= 0 && !hasStatus) {
          hasStatus = true;
          status(request, status);
        }
      }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      if (event == ChannelInputShutdownReadComplete.INSTANCE && streams.remove(this)) {
        if (frames.isBetween() && hasStatus) {
          ended(request, loop.now());
        } else {
          broken(request, cutOff(request), loop.now());
        }
        loop.finished(Http3Connection.this);
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable thrown) {
      end(ErrorKind.RESET);
      ctx.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      end(cutOff(request));
    }

    void cancel() {
      if (context != null && context.channel() instanceof QuicStreamChannel stream) {
        stream.shutdown(REQUEST_CANCELLED);
        stream.close();
      }
    }

    /** Ends it, unless it has ended. */
    void end(ErrorKind kind) {
      if (streams.remove(this)) {
        broken(request, kind, loop.now());
        loop.finished(Http3Connection.this);
      }
    }
  }
}
