package io.forebay.benchmarks.lab;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What Netty costs by itself: its HTTP codec, a lookup by path, a response written and flushed; no
 * cache, no rules. Takes what the floor takes ({@code benchmarks/floor}), and beside epoll also
 * io_uring. Listens on loopback only; ends when it is killed.
 *
 * <pre>
 * java @benchmarks/jvm.options -cp benchmarks/target/benchmarks.jar \\
 *     io.forebay.benchmarks.lab.NettySpike epoll|io_uring PORT LOOPS NAME=COUNT=FILE ...
 * </pre>
 *
 * {@code GET /NAME/I} is answered with the bytes of FILE, in which {@code %d} stands for I.
 */
public final class NettySpike {

  private NettySpike() {}

  public static void main(String[] arguments) throws Exception {
    if (arguments.length < 4) {
      System.err.println("NettySpike: epoll|io_uring PORT LOOPS NAME=COUNT=FILE ...");
      System.exit(2);
    }
    boolean isUring = arguments[0].equals("io_uring");
    Map<String, ByteBuf> bodies = new HashMap<>();
    for (int i = 3; i < arguments.length; i++) {
      addLoad(bodies, arguments[i]);
    }
    IoHandlerFactory io = isUring ? IoUringIoHandler.newFactory() : EpollIoHandler.newFactory();
    Class<? extends ServerChannel> channel =
        isUring ? IoUringServerSocketChannel.class : EpollServerSocketChannel.class;
    try (var group = new MultiThreadIoEventLoopGroup(Integer.parseInt(arguments[2]), io)) {
      new ServerBootstrap()
          .group(group)
          .channel(channel)
          .option(ChannelOption.SO_BACKLOG, 4096)
          .childOption(ChannelOption.TCP_NODELAY, true)
          .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
          .childHandler(
              new ChannelInitializer<SocketChannel>() {
                @Override
                protected void initChannel(SocketChannel client) {
                  client.pipeline().addLast(new HttpServerCodec(), new Answers(bodies));
                }
              })
          .bind(
              new InetSocketAddress(
                  InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[1])))
          .sync()
          .channel()
          .closeFuture()
          .sync();
    }
  }

  private static void addLoad(Map<String, ByteBuf> bodies, String text) throws IOException {
    String[] parts = text.split("=", 3);
    for (int i = 0; i < Integer.parseInt(parts[1]); i++) {
      byte[] bytes = Files.readAllBytes(Path.of(parts[2].replace("%d", Integer.toString(i))));
      ByteBuf body = Unpooled.directBuffer(bytes.length).writeBytes(bytes);
      bodies.put("/" + parts[0] + "/" + i, Unpooled.unreleasableBuffer(body.asReadOnly()));
    }
  }

  private static final class Answers extends ChannelInboundHandlerAdapter {
    private final Map<String, ByteBuf> bodies;

    Answers(Map<String, ByteBuf> bodies) {
      this.bodies = bodies;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (message instanceof HttpRequest request) {
        ByteBuf body = bodies.get(request.uri());
        ctx.write(response(body), ctx.voidPromise());
      }
      ReferenceCountUtil.release(message);
    }

    private static DefaultFullHttpResponse response(@Nullable ByteBuf body) {
      var response =
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1,
              body == null ? HttpResponseStatus.NOT_FOUND : HttpResponseStatus.OK,
              body == null ? Unpooled.EMPTY_BUFFER : body.duplicate());
      // As long as what a cache sends.
      response
          .headers()
          .set(HttpHeaderNames.DATE, "Sun, 01 Mar 2026 12:00:00 GMT")
          .set(HttpHeaderNames.CONTENT_TYPE, "application/octet-stream")
          .set(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes())
          .set(HttpHeaderNames.LAST_MODIFIED, "Sun, 01 Mar 2026 11:00:00 GMT")
          .set(HttpHeaderNames.ETAG, "\"69a41f00-10\"")
          .set(HttpHeaderNames.CACHE_CONTROL, "public, max-age=86400")
          .set(HttpHeaderNames.ACCEPT_RANGES, "bytes")
          .set(HttpHeaderNames.AGE, "10")
          .set(HttpHeaderNames.VIA, "1.1 spike");
      return response;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      ctx.flush();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.close();
    }
  }
}
