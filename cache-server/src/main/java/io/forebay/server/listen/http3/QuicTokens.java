package io.forebay.server.listen.http3;

import io.forebay.server.counters.Http3Counters;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.quic.Quic;
import io.netty.handler.codec.quic.QuicTokenHandler;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import javax.crypto.Mac;
import javax.crypto.SecretKey;

/**
 * Creates and checks Retry tokens (RFC 9000 §8.1.2): a client that returns one has shown that
 * packets reach its address, and the node stores nothing meanwhile. The token contains the client's
 * first connection id and is valid for its address and port for some seconds:
 *
 * <pre>
 *   expiry, s (8) | HMAC-SHA-256 of expiry, address, port and id, cut (16) | first connection id (0..20)
 * </pre>
 *
 * <p>One per socket, since it is confined to its loop; all of a node share the key.
 */
final class QuicTokens implements QuicTokenHandler {

  private static final String ALGORITHM = "HmacSHA256";
  private static final int MAC_OFFSET = Long.BYTES;
  private static final int MAC_LENGTH = 16;
  private static final int ID_OFFSET = MAC_OFFSET + MAC_LENGTH;

  /** Time for one round trip, or a few. */
  private static final long LIFETIME_SECONDS = 10;

  private final Mac mac;
  private final LongSupplier clockMillis;
  private final BooleanSupplier isAsked;
  private final BooleanSupplier isAccepting;
  private final Consumer<InetSocketAddress> onProven;
  private final Http3Counters counters;

  /**
   * Makes and checks the tokens of one socket.
   *
   * @param isAsked whether clients have to bring a token now
   * @param isAccepting whether new connections are begun at all; a client that is asked for a token
   *     costs nothing, and its token is then not taken
   * @param onProven told of each address that brought a token of its own
   */
  QuicTokens(
      SecretKey key,
      LongSupplier clockMillis,
      BooleanSupplier isAsked,
      BooleanSupplier isAccepting,
      Consumer<InetSocketAddress> onProven,
      Http3Counters counters) {
    this.clockMillis = clockMillis;
    this.isAsked = isAsked;
    this.isAccepting = isAccepting;
    this.onProven = onProven;
    this.counters = counters;
    try {
      mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, e);
    }
  }

  @Override
  public boolean writeToken(ByteBuf out, ByteBuf dcid, InetSocketAddress address) {
    if (!isAsked.getAsBoolean()) {
      return false;
    }
    counters.retries++;
    long expiry = clockMillis.getAsLong() / 1000 + LIFETIME_SECONDS;
    byte[] id = bytes(dcid, dcid.readerIndex(), dcid.readableBytes());
    out.writeLong(expiry).writeBytes(sign(expiry, address, id)).writeBytes(id);
    return true;
  }

  @Override
  public int validateToken(ByteBuf token, InetSocketAddress address) {
    if (!isAccepting.getAsBoolean()) {
      return -1;
    }
    int length = token.readableBytes();
    int start = token.readerIndex();
    if (length < ID_OFFSET || length > maxTokenLength()) {
      counters.badTokens++;
      return -1;
    }
    long expiry = token.getLong(start);
    byte[] id = bytes(token, start + ID_OFFSET, length - ID_OFFSET);
    byte[] signature = bytes(token, start + MAC_OFFSET, MAC_LENGTH);
    boolean isOurs = MessageDigest.isEqual(signature, sign(expiry, address, id));
    if (!isOurs || expiry < clockMillis.getAsLong() / 1000) {
      counters.badTokens++;
      return -1;
    }
    onProven.accept(address);
    return ID_OFFSET;
  }

  @Override
  public int maxTokenLength() {
    return ID_OFFSET + Quic.MAX_CONN_ID_LEN;
  }

  private byte[] sign(long expiry, InetSocketAddress address, byte[] id) {
    for (int shift = Long.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
      mac.update((byte) (expiry >> shift));
    }
    byte[] ip = address.getAddress().getAddress();
    // The lengths keep an address from being continued by what follows it.
    mac.update((byte) ip.length);
    mac.update(ip);
    mac.update((byte) (address.getPort() >> 8));
    mac.update((byte) address.getPort());
    return Arrays.copyOf(mac.doFinal(id), MAC_LENGTH);
  }

  private static byte[] bytes(ByteBuf from, int start, int length) {
    byte[] bytes = new byte[length];
    from.getBytes(start, bytes);
    return bytes;
  }
}
