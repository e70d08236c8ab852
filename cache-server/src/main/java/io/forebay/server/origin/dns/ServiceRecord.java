package io.forebay.server.origin.dns;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.CorruptedFrameException;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.dns.DefaultDnsRecordDecoder;
import io.netty.handler.codec.dns.DnsRawRecord;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.handler.codec.dns.DnsRecordType;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What an SRV record says:
 *
 * <pre>
 *   priority 2 | weight 2 | port 2 | target, a name
 * </pre>
 *
 * @param target in lower case, with the dot at its end; {@code .} for no service
 */
record ServiceRecord(int priority, int weight, int port, String target, long ttlSeconds) {
  /** The target that says that there is no service. */
  static final String NONE = ".";

  private static final int FIXED_BYTES = 6;
  private static final int MAX_NAME = 254;
  private static final Pattern NAME = Pattern.compile("([a-z0-9_-]{1,63}\\.)+");

  /** Reads a record; null for one that is no SRV record, is damaged, or names no possible host. */
  static @Nullable ServiceRecord read(DnsRecord record) {
    if (!record.type().equals(DnsRecordType.SRV) || !(record instanceof DnsRawRecord raw)) {
      return null;
    }
    // Some servers compress the target: the buffer holds the message that it may point into.
    ByteBuf data = raw.content().duplicate();
    if (data.readableBytes() <= FIXED_BYTES) {
      return null;
    }
    int priority = data.readUnsignedShort();
    int weight = data.readUnsignedShort();
    int port = data.readUnsignedShort();
    String target;
    try {
      target = DefaultDnsRecordDecoder.decodeName(data).toLowerCase(Locale.ROOT);
    } catch (CorruptedFrameException | TooLongFrameException | IndexOutOfBoundsException e) {
      return null;
    }
    boolean isHost = port > 0 && target.length() <= MAX_NAME && NAME.matcher(target).matches();
    return isHost || target.equals(NONE)
        ? new ServiceRecord(priority, weight, port, target, record.timeToLive())
        : null;
  }
}
