package io.forebay.server.listen.http3;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Limits the bytes sent to an address that is not validated to three times the bytes received from
 * it (RFC 9000 §8.1); further datagrams are dropped, as the network might do. The QUIC library
 * counts per connection, but its probes exceed the limit, and it does not count Retry and version
 * negotiation packets.
 *
 * <pre>
 *   long header from an address ──► strangers ──connection begins──► known ──connection ends──► gone
 *                                   (the eldest makes room)            │
 *                                                  token or handshake ─┴─► proven: no bound
 * </pre>
 *
 * One per socket, confined to its loop.
 */
final class AmplificationLimiter extends ChannelDuplexHandler {
  static final int MAX_STRANGERS = 4096;

  private static final int FACTOR = 3;
  private static final int LONG_HEADER = 0x80;

  private static final class Account {
    private int connections;
    private boolean isProven;
    private long receivedBytes;
    private long sentBytes;
  }

  private final Map<InetSocketAddress, Account> known = new HashMap<>();
  private final Map<InetSocketAddress, Account> strangers =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<InetSocketAddress, Account> eldest) {
          return size() > MAX_STRANGERS;
        }
      };

  /** A connection with that address begins; each call is followed by one of {@link #ends}. */
  void begins(InetSocketAddress address) {
    known.computeIfAbsent(
            address,
            a -> {
              Account stranger = strangers.remove(a);
              return stranger == null ? new Account() : stranger;
            })
        .connections++;
  }

  /** The address is validated, by a token or a completed handshake. */
  void proven(InetSocketAddress address) {
    Account account = find(address);
    if (account != null) {
      account.isProven = true;
    }
  }

  void ends(InetSocketAddress address) {
    Account account = known.get(address);
    if (account != null && --account.connections == 0) {
      known.remove(address);
    }
  }

  private @Nullable Account find(InetSocketAddress address) {
    Account account = known.get(address);
    return account == null ? strangers.get(address) : account;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof DatagramPacket packet && hasLongHeader(packet.content())) {
      InetSocketAddress sender = packet.sender();
      Account account = known.get(sender);
      if (account == null) {
        account = strangers.computeIfAbsent(sender, a -> new Account());
      }
      account.receivedBytes += packet.content().readableBytes();
    }
    ctx.fireChannelRead(message);
  }

  /** Until an address is proven, all packets from it that can be read have one. */
  private static boolean hasLongHeader(ByteBuf data) {
    return data.isReadable() && (data.getByte(data.readerIndex()) & LONG_HEADER) != 0;
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (message instanceof DatagramPacket packet && !maySend(packet)) {
      packet.release();
      promise.trySuccess();
      return;
    }
    ctx.write(message, promise);
  }

  private boolean maySend(DatagramPacket packet) {
    Account account = find(packet.recipient());
    if (account == null || account.isProven) {
      return true;
    }
    long bytes = packet.content().readableBytes();
    if (account.sentBytes + bytes > FACTOR * account.receivedBytes) {
      return false;
    }
    account.sentBytes += bytes;
    return true;
  }
}
