package io.forebay.server.accesslog;

import io.forebay.core.http.Latin1Text;
import io.forebay.server.cmcd.Cmcd;
import io.forebay.server.config.LogSampling;
import io.forebay.server.config.RouteLog;
import io.forebay.server.config.RouteLog.Part;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.http.TlsSession;
import org.jspecify.annotations.Nullable;

/**
 * A slot of a ring: filled by its event loop, then read by the writer, never both at once. Values
 * whose length a client controls are copied into one array of fixed size, one byte per character as
 * received:
 *
 * <pre>
 * | request id 64 | traceparent 64 | host 256 | path 1024 | query 512 | referer 512 | agent 256 |
 * | error 256 |
 * </pre>
 */
final class AccessRecord {
  static final int REQUEST_ID = 0;
  static final int TRACEPARENT = 1;
  static final int HOST = 2;
  static final int PATH = 3;
  static final int QUERY = 4;
  static final int REFERER = 5;
  static final int USER_AGENT = 6;
  static final int ERROR = 7;

  private static final int[] CAPACITY = {64, 64, 256, 1024, 512, 512, 256, 256};
  private static final int MAX_METHOD_LENGTH = 128;
  private static final byte[] NO_EXTRA = {};
  static final int EXTRA_LENGTH = RouteLog.MAX_VALUE_LENGTH;

  /** Place of the first field of the response among those that are logged in addition. */
  static final int OF_RESPONSE = RouteLog.MAX_HEADERS;

  private static final int[] OFFSET = new int[CAPACITY.length];
  static final int TEXT_LENGTH;

  static {
    int offset = 0;
    for (int i = 0; i < CAPACITY.length; i++) {
      OFFSET[i] = offset;
      offset += CAPACITY[i];
    }
    TEXT_LENGTH = offset;
  }

  final byte[] text = new byte[TEXT_LENGTH];
  // Length of each text; -1 is absent.
  final short[] lengths = new short[CAPACITY.length];
  boolean isTruncated;

  /** What the configuration says of its route. */
  RouteLog rules = RouteLog.DEFAULT;

  /** Share of the requests like it that have a line, in hundredths of a percent. */
  int share = LogSampling.ALL;

  // Fields that the route logs in addition, one behind the other; made when a route has some.
  byte[] extra = NO_EXTRA;
  final short[] extraLengths = new short[2 * RouteLog.MAX_HEADERS];

  // What a player told, as JSON; made when one first tells something. A length of -1: nothing.
  byte[] cmcd = NO_EXTRA;
  short cmcdLength = -1;

  long epochMillis;
  @Nullable String client = "";
  String method = "";
  String scheme = "";
  String protocol = "";
  @Nullable TlsSession tls;
  int status;
  long bytes;
  long tunnelledBytes;
  long durationNanos;
  long firstByteNanos;
  CacheResult cache = CacheResult.REFUSED;
  @Nullable String reason;
  @Nullable String route;
  @Nullable String origin;
  long fetchNanos;
  @Nullable String abort;
  @Nullable String coding;
  int esiFragments;

  static int offset(int field) {
    return OFFSET[field];
  }

  void fill(AccessEvent event, int ofShare) {
    share = ofShare;
    isTruncated = false;
    rules = event.rules();
    copy(REQUEST_ID, event.requestId());
    copy(TRACEPARENT, rules.drops(Part.TRACEPARENT) ? null : event.traceparent());
    copy(HOST, rules.drops(Part.HOST) ? null : event.host());
    copy(PATH, event.path());
    copy(QUERY, rules.drops(Part.QUERY) ? null : event.query());
    copy(REFERER, rules.drops(Part.REFERER) ? null : event.referer());
    copy(USER_AGENT, rules.drops(Part.USER_AGENT) ? null : event.userAgent());
    copy(ERROR, event.error());
    copyExtra(event);
    copyCmcd(rules.drops(Part.CMCD) ? null : event.cmcd());
    epochMillis = event.epochMillis();
    client = rules.drops(Part.CLIENT) ? null : event.client();
    method = clipped(event.method());
    scheme = event.scheme();
    protocol = event.protocol();
    tls = rules.drops(Part.TLS) ? null : event.tls();
    status = event.status();
    bytes = event.bytes();
    tunnelledBytes = event.tunnelledBytes();
    durationNanos = event.durationNanos();
    firstByteNanos = event.firstByteNanos();
    cache = event.cache();
    reason = event.reason();
    route = event.route();
    origin = event.origin();
    fetchNanos = event.fetchNanos();
    abort = event.abort();
    coding = event.coding();
    esiFragments = event.esiFragments();
  }

  /** A client makes up its method: what a slot keeps of it is bounded. */
  private static String clipped(String method) {
    return method.length() <= MAX_METHOD_LENGTH ? method : method.substring(0, MAX_METHOD_LENGTH);
  }

  private void copyExtra(AccessEvent event) {
    int ofRequest = rules.requestHeaders().size();
    int ofResponse = rules.responseHeaders().size();
    if (ofRequest + ofResponse > 0 && extra.length == 0) {
      extra = new byte[2 * RouteLog.MAX_HEADERS * EXTRA_LENGTH];
    }
    for (int i = 0; i < ofRequest; i++) {
      copyExtra(i, event.requestHeader(i));
    }
    for (int i = 0; i < ofResponse; i++) {
      copyExtra(OF_RESPONSE + i, event.responseHeader(i));
    }
  }

  private void copyExtra(int place, @Nullable CharSequence value) {
    extraLengths[place] = copied(value, extra, place * EXTRA_LENGTH, EXTRA_LENGTH);
  }

  private void copyCmcd(@Nullable CharSequence object) {
    if (object != null && cmcd.length == 0) {
      cmcd = new byte[Cmcd.MAX_JSON];
    }
    cmcdLength = copied(object, cmcd, 0, Cmcd.MAX_JSON);
  }

  private void copy(int field, @Nullable CharSequence value) {
    lengths[field] = copied(value, text, OFFSET[field], CAPACITY[field]);
  }

  private short copied(@Nullable CharSequence value, byte[] target, int offset, int capacity) {
    if (value == null) {
      return -1;
    }
    int length = Math.min(value.length(), capacity);
    isTruncated |= length < value.length();
    if (value instanceof Latin1Text octets) {
      octets.copyTo(target, offset, 0, length);
      return (short) length;
    }
    for (int i = 0; i < length; i++) {
      char c = value.charAt(i);
      target[offset + i] = c < 0x100 ? (byte) c : (byte) '?';
    }
    return (short) length;
  }
}
