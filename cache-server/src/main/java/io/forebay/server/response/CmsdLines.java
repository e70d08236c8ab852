package io.forebay.server.response;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** The line CMSD-Dynamic (CTA-5006) in a head that is being written. Allocates nothing. */
public final class CmsdLines {
  private static final byte[][] NAMES = {ascii("cmsd-dynamic:")};
  private static final byte[] DELAY = ascii(";rd=");
  private static final byte[] DURESS = ascii(";du");
  private static final byte[] END = ascii("\r\n");

  private CmsdLines() {}

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Removes those that were written: they told of another response. */
  public static void removeFrom(ByteBuf head) {
    NamedLines.removeFrom(head, NAMES);
  }

  /**
   * Writes the entry of this node.
   *
   * @param line up to its parameters
   * @param delayMillis from the request to the response
   * @param isOverloaded whether players had better ask another server
   */
  public static void write(ByteBuf head, byte[] line, long delayMillis, boolean isOverloaded) {
    head.writeBytes(line).writeBytes(DELAY);
    HeadLines.number(head, delayMillis);
    if (isOverloaded) {
      head.writeBytes(DURESS);
    }
    head.writeBytes(END);
  }
}
