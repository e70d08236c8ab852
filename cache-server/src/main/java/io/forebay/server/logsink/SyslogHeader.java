package io.forebay.server.logsink;

import io.forebay.server.config.LogConfig;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/**
 * The beginning of messages of syslog (RFC 5424 §6.2):
 *
 * <pre>
 *   &lt;190&gt;1 2026-03-04T05:06:07.089Z edge-1 forebay 4711 - - LINE
 * </pre>
 */
final class SyslogHeader {
  private static final int INFORMATIONAL = 6;
  private static final int MAX_HOST = 255;
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  private final byte[] before;
  private final byte[] after;
  private long millis = Long.MIN_VALUE;
  private byte[] time = {};

  SyslogHeader(LogConfig.Syslog config, String hostName, long pid) {
    before = ascii("<" + (config.facility() * 8 + INFORMATIONAL) + ">1 ");
    after = ascii(" " + hostName + " " + config.tag() + " " + pid + " - - ");
  }

  /** The name of this machine as a message may have it; a dash if it is unknown. */
  static String hostName() {
    try {
      String name = InetAddress.getLocalHost().getHostName().replaceAll("[^!-~]", "");
      return name.isEmpty() ? "-" : name.substring(0, Math.min(name.length(), MAX_HOST));
    } catch (UnknownHostException e) {
      return "-";
    }
  }

  /** At most so many bytes are put. */
  int maxLength() {
    return before.length + 32 + after.length;
  }

  void put(ByteBuffer target, long nowMillis) {
    if (nowMillis != millis) {
      millis = nowMillis;
      time = ascii(TIME.format(Instant.ofEpochMilli(nowMillis)));
    }
    target.put(before).put(time).put(after);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
