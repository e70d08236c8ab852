package io.forebay.lab.load.client;

import io.forebay.lab.load.ErrorKind;
import io.forebay.lab.load.ObjectPath;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.collection.IntObjectHashMap;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/2 (RFC 9113), as far as a client of GET needs it. Frames of data are counted as they come;
 * of a head only the status is read. The windows are as wide as they can be, so that they are not
 * the bound.
 */
final class Http2Connection extends Connection {
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int PUSH_PROMISE = 5;
  private static final int PING = 6;
  private static final int GOAWAY = 7;
  private static final int WINDOW_UPDATE = 8;

  private static final int END_STREAM = 0x1;
  private static final int ACK = 0x1;
  private static final int END_HEADERS = 0x4;
  private static final int PADDED = 0x8;
  private static final int PRIORITY = 0x20;

  private static final int ENABLE_PUSH = 2;
  private static final int MAX_CONCURRENT_STREAMS = 3;
  private static final int INITIAL_WINDOW_SIZE = 4;

  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final int FRAME_HEADER = 9;
  private static final int MAX_FRAME = 16 * 1024;
  private static final int MAX_WINDOW = Integer.MAX_VALUE;
  private static final int DEFAULT_WINDOW = 65_535;
  private static final int CREDIT_AT = 1 << 29;
  private static final int MAX_STREAM = Integer.MAX_VALUE - 2;
  private static final int CANCEL = 8;

  private final IntObjectHashMap<Request> requests = new IntObjectHashMap<>();
  private final ArrayDeque<Request> unused = new ArrayDeque<>();
  private final byte[] authority;
  private final byte[] header = new byte[FRAME_HEADER];
  private byte[] payload = new byte[256];
  private final int mostStreams;
  private int serverStreams = Integer.MAX_VALUE;
  private int nextStream = 1;
  private int uncredited;
  private boolean isEnding;
  private @Nullable ErrorKind cause;
  private @Nullable ChannelHandlerContext context;

  /** Of the header, or of the payload where it is gathered. */
  private int held;

  private boolean isInFrame;
  private int type;
  private int flags;
  private int stream;

  /** Of the payload, not gathered or consumed yet. */
  private int left;

  /** Of a DATA frame: at its end; -1 before its length is known. */
  private int padding;

  Http2Connection(ClientLoop loop, Slot slot) {
    super(loop, slot);
    authority = slot.target.authority().getBytes(StandardCharsets.US_ASCII);
    mostStreams = loop.plan().streams();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
    ByteBuf out = ctx.alloc().directBuffer(64);
    out.writeBytes(PREFACE);
    frame(out, 12, SETTINGS, 0, 0);
    out.writeShort(ENABLE_PUSH).writeInt(0);
    out.writeShort(INITIAL_WINDOW_SIZE).writeInt(MAX_WINDOW);
    windowUpdate(out, 0, MAX_WINDOW - DEFAULT_WINDOW);
    ctx.writeAndFlush(out, ctx.voidPromise());
  }

  private static void frame(ByteBuf out, int length, int type, int flags, int stream) {
    out.writeMedium(length).writeByte(type).writeByte(flags).writeInt(stream);
  }

  private static void windowUpdate(ByteBuf out, int stream, int bytes) {
    frame(out, 4, WINDOW_UPDATE, 0, stream);
    out.writeInt(bytes);
  }

  @Override
  boolean isReady() {
    return requests.size() < Math.min(mostStreams, serverStreams) && nextStream < MAX_STREAM;
  }

  @Override
  boolean isEnding() {
    return isEnding;
  }

  @Override
  int active() {
    return requests.size();
  }

  @Override
  void send(long due) {
    Request request = unused.isEmpty() ? new Request() : unused.removeLast();
    loop.draw(request, due);
    int id = nextStream;
    nextStream += 2;
    requests.put(id, request);
    ChannelHandlerContext ctx = context;
    if (ctx == null) {
      return;
    }
    ObjectPath path = loop.path(request);
    int pathLength = path.length(request.number);
    ByteBuf out = ctx.alloc().directBuffer(FRAME_HEADER + authority.length + pathLength + 16);
    frame(out, 0, HEADERS, END_STREAM | END_HEADERS, id);
    // Of the static table: :method GET, :scheme, and the names :authority and :path.
    out.writeByte(0x82).writeByte(slot.target.isTls() ? 0x87 : 0x86).writeByte(0x01);
    FieldStatus.writeInteger(out, 0, 7, authority.length);
    out.writeBytes(authority).writeByte(0x04);
    FieldStatus.writeInteger(out, 0, 7, pathLength);
    path.write(out, request.number);
    out.setMedium(0, out.writerIndex() - FRAME_HEADER);
    ctx.writeAndFlush(out, ctx.voidPromise());
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf in = (ByteBuf) message;
    try {
      long now = loop.now();
      while (in.isReadable() && !isOver()) {
        if (isInFrame || readHeader(in)) {
          readPayload(in, now);
        }
      }
    } catch (IllegalArgumentException malformed) {
      failAll(ErrorKind.OTHER);
    } finally {
      in.release();
    }
  }

  private boolean isOver() {
    return isEnding && requests.isEmpty();
  }

  private boolean readHeader(ByteBuf in) {
    int more = Math.min(FRAME_HEADER - held, in.readableBytes());
    in.readBytes(header, held, more);
    held += more;
    if (held < FRAME_HEADER) {
      return false;
    }
    held = 0;
    left = ((header[0] & 0xFF) << 16) | ((header[1] & 0xFF) << 8) | (header[2] & 0xFF);
    type = header[3];
    flags = header[4];
    stream =
        ((header[5] & 0x7F) << 24)
            | ((header[6] & 0xFF) << 16)
            | ((header[7] & 0xFF) << 8)
            | (header[8] & 0xFF);
    if (left > MAX_FRAME) {
      throw new IllegalArgumentException("a frame of more than " + MAX_FRAME);
    }
    padding = (flags & PADDED) == 0 ? 0 : -1;
    isInFrame = true;
    if (type == DATA) {
      credit(left);
    }
    if (left == 0) {
      endFrame(loop.now());
      return false;
    }
    return true;
  }

  private void readPayload(ByteBuf in, long now) {
    if (type == DATA) {
      readData(in, now);
    } else {
      int more = Math.min(left, in.readableBytes());
      if (held + more > payload.length) {
        payload = java.util.Arrays.copyOf(payload, MAX_FRAME);
      }
      in.readBytes(payload, held, more);
      held += more;
      left -= more;
    }
    if (left == 0) {
      endFrame(now);
    }
  }

  private void readData(ByteBuf in, long now) {
    if (padding < 0) {
      padding = in.readUnsignedByte();
      left--;
      if (padding > left) {
        throw new IllegalArgumentException("more padding than frame");
      }
    }
    int data = Math.min(left - padding, in.readableBytes());
    if (data > 0) {
      Request request = requests.get(stream);
      if (request != null) {
        began(request, now);
        body(request, in, data, now);
        creditStream(request, data);
      }
      in.skipBytes(data);
      left -= data;
    }
    if (left <= padding) {
      int skipped = Math.min(left, in.readableBytes());
      in.skipBytes(skipped);
      left -= skipped;
      padding = left;
    }
  }

  /** Lets the server send on, in steps so large that they cost nothing. */
  private void credit(int bytes) {
    uncredited += bytes;
    if (uncredited >= CREDIT_AT) {
      writeCredit(0, uncredited);
      uncredited = 0;
    }
  }

  private void creditStream(Request request, int bytes) {
    request.uncredited += bytes;
    if (request.uncredited >= CREDIT_AT) {
      writeCredit(stream, request.uncredited);
      request.uncredited = 0;
    }
  }

  private void writeCredit(int id, int bytes) {
    ByteBuf out = output(FRAME_HEADER + 4);
    windowUpdate(out, id, bytes);
    write(out);
  }

  private ByteBuf output(int bytes) {
    ChannelHandlerContext ctx = context;
    if (ctx == null) {
      throw new IllegalStateException("not connected");
    }
    return ctx.alloc().directBuffer(bytes);
  }

  private void write(ByteBuf out) {
    if (context != null) {
      context.writeAndFlush(out, context.voidPromise());
    }
  }

  private void endFrame(long now) {
    int length = held;
    held = 0;
    isInFrame = false;
    switch (type) {
      case DATA -> endStream(now);
      case HEADERS -> headers(length, now);
      case RST_STREAM -> reset(now);
      case SETTINGS -> settings(length);
      case PING -> ping(length);
      case GOAWAY -> goAway(length, now);
      case PUSH_PROMISE -> throw new IllegalArgumentException("pushed without leave");
      default -> {
        // Nothing that a client of GET must know.
      }
    }
  }

  private void headers(int length, long now) {
    Request request = requests.get(stream);
    if (request == null) {
      return;
    }
    int from = ((flags & PADDED) != 0 ? 1 : 0) + ((flags & PRIORITY) != 0 ? 5 : 0);
    boolean isTrailer = request.firstByte >= 0 && (flags & END_STREAM) != 0;
    began(request, now);
    if (!isTrailer) {
      int status = from < length ? FieldStatus.hpack(payload, from, length) : 0;
      if (status >= 100 && status < 200) {
        request.firstByte = -1;
        return;
      }
      status(request, status);
    }
    endStream(now);
  }

  private void endStream(long now) {
    if ((flags & END_STREAM) == 0) {
      return;
    }
    Request request = requests.remove(stream);
    if (request != null) {
      ended(request, now);
      unused.add(request);
      loop.finished(this);
    }
  }

  private void reset(long now) {
    Request request = requests.remove(stream);
    if (request != null) {
      broken(request, ErrorKind.RESET, now);
      unused.add(request);
      loop.finished(this);
    }
  }

  private void settings(int length) {
    if ((flags & ACK) != 0) {
      return;
    }
    for (int at = 0; at + 6 <= length; at += 6) {
      int key = ((payload[at] & 0xFF) << 8) | (payload[at + 1] & 0xFF);
      if (key == MAX_CONCURRENT_STREAMS) {
        int value = integer(at + 2);
        serverStreams = value < 0 ? Integer.MAX_VALUE : value;
      }
    }
    ByteBuf out = output(FRAME_HEADER);
    frame(out, 0, SETTINGS, ACK, 0);
    write(out);
    loop.roomAgain(this);
  }

  private int integer(int at) {
    return ((payload[at] & 0xFF) << 24)
        | ((payload[at + 1] & 0xFF) << 16)
        | ((payload[at + 2] & 0xFF) << 8)
        | (payload[at + 3] & 0xFF);
  }

  private void ping(int length) {
    if ((flags & ACK) == 0 && length == 8) {
      ByteBuf out = output(FRAME_HEADER + 8);
      frame(out, 8, PING, ACK, 0);
      out.writeBytes(payload, 0, 8);
      write(out);
    }
  }

  /** The server takes no more requests; those above its last one it has not begun. */
  private void goAway(int length, long now) {
    if (length < 8) {
      throw new IllegalArgumentException("a GOAWAY of " + length);
    }
    isEnding = true;
    int last = integer(0) & Integer.MAX_VALUE;
    for (int id : ids()) {
      if (id > last) {
        end(id, ErrorKind.RESET, now);
      }
    }
    closeIfEmpty();
  }

  private List<Integer> ids() {
    return new ArrayList<>(requests.keySet());
  }

  private void end(int id, ErrorKind kind, long now) {
    Request request = requests.remove(id);
    if (request != null) {
      broken(request, kind, now);
      unused.add(request);
      loop.finished(this);
    }
  }

  private void closeIfEmpty() {
    if (requests.isEmpty()) {
      loop.closed(this);
      close();
    }
  }

  private void failAll(@Nullable ErrorKind kind) {
    isEnding = true;
    long now = loop.now();
    for (int id : ids()) {
      Request request = requests.get(id);
      if (request != null) {
        end(id, kind == null ? cutOff(request) : kind, now);
      }
    }
    closeIfEmpty();
  }

  @Override
  void expire(long dueBefore) {
    boolean isAny = false;
    for (Request request : requests.values()) {
      isAny |= request.due < dueBefore;
    }
    if (!isAny) {
      return;
    }
    for (int id : ids()) {
      Request request = requests.get(id);
      if (request != null && request.due < dueBefore) {
        ByteBuf out = output(FRAME_HEADER + 4);
        frame(out, 4, RST_STREAM, 0, id);
        out.writeInt(CANCEL);
        write(out);
        end(id, ErrorKind.TIMEOUT, loop.now());
      }
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
    failAll(cause);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable thrown) {
    cause = Http1Connection.kind(thrown);
    ctx.close();
  }
}
