package io.forebay.server.cluster.peer;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.security.cert.Certificate;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/** A connection to another node, with one question at a time. */
final class PeerConnection extends SimpleChannelInboundHandler<FullHttpResponse> {
  private final String cluster;
  private final Channel channel;
  private final SslHandler tls;

  /** The question that waits for its answer. Confined to the loop of the channel. */
  private @Nullable CompletableFuture<Answer> asked;

  /** The nodes that its certificate names; null before the first answer. Confined to the loop. */
  private @Nullable Set<String> names;

  PeerConnection(String cluster, Channel channel, SslHandler tls) {
    this.cluster = cluster;
    this.channel = channel;
    this.tls = tls;
  }

  /**
   * What the other end has answered.
   *
   * @param names the nodes that its certificate names
   * @param isKept whether the connection takes another question
   */
  @SuppressWarnings("ArrayRecordComponent") // read once
  record Answer(Set<String> names, int status, byte[] body, boolean isKept) {}

  /** Sends a question, also before the handshake is over. Any thread. */
  CompletableFuture<Answer> ask(String authority, String target) {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    try {
      channel.eventLoop().execute(() -> send(authority, target, answer));
    } catch (RejectedExecutionException e) {
      answer.completeExceptionally(new IOException("this node is stopping", e));
    }
    return answer;
  }

  private void send(String authority, String target, CompletableFuture<Answer> answer) {
    if (!channel.isActive() || asked != null) {
      answer.completeExceptionally(new IOException("the connection is closed"));
      return;
    }
    asked = answer;
    DefaultFullHttpRequest request =
        new DefaultFullHttpRequest(
            HttpVersion.HTTP_1_1, HttpMethod.GET, target, Unpooled.EMPTY_BUFFER);
    request.headers().set(HttpHeaderNames.HOST, authority);
    channel
        .writeAndFlush(request)
        .addListener(written -> {
          if (!written.isSuccess()) {
            fail(written.cause());
          }
        });
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, FullHttpResponse response) {
    CompletableFuture<Answer> answer = asked;
    if (answer == null || response.decoderResult().isFailure()) {
      fail(new IOException("answers no HTTP"));
      return;
    }
    asked = null;
    Set<String> known = names == null ? PeerName.nodes(cluster, certificates()) : names;
    names = known;
    answer.complete(
        new Answer(
            known,
            response.status().code(),
            ByteBufUtil.getBytes(response.content()),
            HttpUtil.isKeepAlive(response)));
  }

  private Certificate[] certificates() {
    try {
      return tls.engine().getSession().getPeerCertificates();
    } catch (SSLPeerUnverifiedException e) {
      return new Certificate[0];
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    fail(new IOException("the node closed the connection"));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    fail(cause);
  }

  private void fail(Throwable cause) {
    CompletableFuture<Answer> answer = asked;
    asked = null;
    channel.close();
    if (answer != null) {
      answer.completeExceptionally(cause);
    }
  }

  boolean isOpen() {
    return channel.isActive();
  }

  /** Takes a question back, with the connection. Any thread. */
  void close() {
    channel.close();
  }
}
