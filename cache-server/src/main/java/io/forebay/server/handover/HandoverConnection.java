package io.forebay.server.handover;

import io.forebay.server.json.AdminError;
import io.forebay.server.json.Json;
import io.forebay.server.listen.Descriptors;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.DomainSocketReadMode;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.PeerCredentials;
import io.netty.handler.codec.LineBasedFrameDecoder;
import io.netty.util.ReferenceCountUtil;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.node.ObjectNode;

/**
 * One connection to the socket of the hand-over, for threads that may block: lines of JSON in both
 * directions, or descriptors. A connection that reads descriptors reads no bytes, so a hand-over
 * has two.
 */
final class HandoverConnection implements AutoCloseable {

  /** For the names of thousands of sockets. */
  static final int MAX_LINE_BYTES = 1 << 20;

  /** Messages that nobody has read; the other end waits for answers and sends no more. */
  private static final int MAX_UNREAD = 16 * 1024;

  private static final Object END = new Object();

  private final EpollDomainSocketChannel channel;
  private final BlockingQueue<Object> received = new LinkedBlockingQueue<>();

  private HandoverConnection(EpollDomainSocketChannel channel) {
    this.channel = channel;
  }

  /** The end that was connected to; on its loop, before it reads. */
  static HandoverConnection accepted(EpollDomainSocketChannel channel) {
    HandoverConnection connection = new HandoverConnection(channel);
    connection.readLines();
    return connection;
  }

  /** Connects to read lines. */
  static HandoverConnection connect(HandoverLoop loop, Path socket) throws IOException {
    return connect(loop, socket, DomainSocketReadMode.BYTES);
  }

  /** Connects to read descriptors. */
  static HandoverConnection connectForDescriptors(HandoverLoop loop, Path socket)
      throws IOException {
    return connect(loop, socket, DomainSocketReadMode.FILE_DESCRIPTORS);
  }

  private static HandoverConnection connect(
      HandoverLoop loop, Path socket, DomainSocketReadMode mode) throws IOException {
    EpollDomainSocketChannel channel = new EpollDomainSocketChannel();
    channel.config().setReadMode(mode);
    HandoverConnection connection = new HandoverConnection(channel);
    if (mode == DomainSocketReadMode.BYTES) {
      connection.readLines();
    } else {
      channel.pipeline().addLast(connection.new Receiver());
    }
    loop.register(channel);
    await(channel.connect(new DomainSocketAddress(socket.toFile())));
    return connection;
  }

  private void readLines() {
    channel.pipeline().addLast(new LineBasedFrameDecoder(MAX_LINE_BYTES), new Receiver());
  }

  /** Puts what comes, and then its end, where {@link #receive} waits for it. */
  private final class Receiver extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (received.size() >= MAX_UNREAD) {
        discard(message);
        ctx.close();
      } else if (message instanceof ByteBuf line) {
        received.add(ByteBufUtil.getBytes(line));
        line.release();
      } else {
        received.add(message);
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      received.add(END);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.close();
    }
  }

  private static void discard(Object message) {
    if (message instanceof FileDescriptor descriptor) {
      try {
        descriptor.close();
      } catch (IOException e) {
        // It is gone either way.
        return;
      }
    }
    ReferenceCountUtil.release(message);
  }

  /** Who is at the other end, as the kernel has it. */
  PeerCredentials peer() throws IOException {
    return channel.peerCredentials();
  }

  /** Called on the loop of the connection. */
  void whenClosed(Runnable told) {
    channel.closeFuture().addListener(closed -> told.run());
  }

  void send(ObjectNode message) throws IOException {
    await(channel.writeAndFlush(Unpooled.wrappedBuffer(Json.bytes(message))));
  }

  /**
   * The next line.
   *
   * @throws EOFException when the other end is gone
   * @throws IOException when nothing comes in time, or no JSON
   */
  ObjectNode receive(Duration patience) throws IOException, InterruptedException {
    Object message = next(patience);
    if (message instanceof byte[] line) {
      try {
        return Json.object(line);
      } catch (AdminError e) {
        throw new IOException("not a message of a hand-over: " + e.getMessage(), e);
      }
    }
    throw new IOException("not a message of a hand-over");
  }

  void sendDescriptor(int descriptor) throws IOException {
    // Netty does not close what it sends.
    await(channel.writeAndFlush(new FileDescriptor(descriptor)));
  }

  int receiveDescriptor(Duration patience) throws IOException, InterruptedException {
    Object message = next(patience);
    if (message instanceof FileDescriptor descriptor) {
      int number = descriptor.intValue();
      Descriptors.closeOnExec(number);
      return number;
    }
    throw new IOException("no descriptor came");
  }

  private Object next(Duration patience) throws IOException, InterruptedException {
    Object message = received.poll(patience.toNanos(), TimeUnit.NANOSECONDS);
    if (message == null) {
      throw new IOException("no answer within " + patience.toSeconds() + " s");
    }
    if (END.equals(message)) {
      received.add(END);
      throw new EOFException("the other process has closed the connection");
    }
    return message;
  }

  private static void await(io.netty.channel.ChannelFuture done) throws IOException {
    Throwable cause = done.awaitUninterruptibly().cause();
    if (cause != null) {
      throw new IOException(String.valueOf(cause.getMessage()), cause);
    }
  }

  @Override
  public void close() {
    channel.close().awaitUninterruptibly();
    for (Object left = received.poll(); left != null; left = received.poll()) {
      if (left instanceof FileDescriptor) {
        discard(left);
      }
    }
    received.add(END);
  }
}
