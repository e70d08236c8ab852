package io.forebay.server.response;

import io.forebay.core.policy.CacheStatus;
import io.forebay.core.policy.Reason;
import io.forebay.server.http.ResponseSink;
import io.forebay.server.rule.FieldEdits;
import io.forebay.server.rule.RuleOutcome;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Writes the head of every response of an exchange, in one fixed order. A section may be omitted;
 * writing one too late throws.
 *
 * <pre>
 *   status line, Alt-Svc           the sink writes them
 *   Strict-Transport-Security      of the route
 *   fields                         stored, forwarded, or of a local reply
 *   Age, Via, Trailer
 *   Cache-Status, Proxy-Status
 *   Content-Range
 *   fields of rules                after those of the same names are removed
 *   Content-Length, framing        the sink writes them
 * </pre>
 *
 * <p>One per loop, confined to it, used for one head after the other; allocates nothing but the
 * buffer that the sink gives.
 */
public final class HeadWriter {
  /** What a client needs to read a response, and what the node says of it. */
  private static final byte[][] NEEDED =
      Stream.of(
              "age:",
              "alt-svc:",
              "cache-status:",
              "content-encoding:",
              "content-range:",
              "content-type:",
              "date:",
              "location:",
              "proxy-status:",
              "strict-transport-security:",
              "vary:",
              "via:",
              "www-authenticate:")
          .map(name -> name.getBytes(StandardCharsets.ISO_8859_1))
          .toArray(byte[][]::new);

  /** No head is begun. */
  private static final int NONE = Integer.MAX_VALUE;

  private static final int STATUS = 1;
  private static final int TRANSPORT_SECURITY = 2;
  private static final int FIELDS = 3;
  private static final int AGE = 4;
  private static final int VIA = 5;
  private static final int TRAILER = 6;
  private static final int CACHE_STATUS = 7;
  private static final int PROXY_STATUS = 8;
  private static final int CONTENT_RANGE = 9;

  private static final byte[][] CONTENT_DIGEST = {
    "content-digest:".getBytes(StandardCharsets.US_ASCII)
  };

  private static final byte[] VARIES_BY_ENCODING =
      "vary: accept-encoding\r\n".getBytes(StandardCharsets.US_ASCII);

  private static final byte[] VARIES_BY_DICTIONARY =
      "vary: available-dictionary\r\n".getBytes(StandardCharsets.US_ASCII);

  private final byte[] scratch;
  private @Nullable ResponseSink sink;
  private @Nullable ByteBuf out;
  private @Nullable RuleOutcome rules;
  private int section = NONE;

  // What the conditions of rules are asked about.
  private final HeadFacts facts = new HeadFacts();
  private int status;
  private byte @Nullable [] whole;

  /** {@code maxHitLength} is that of the longest member of Cache-Status for a hit, in bytes. */
  public HeadWriter(int maxHitLength) {
    scratch = new byte[maxHitLength];
  }

  /**
   * Begins a head. One that was begun and not ended, because of a defect, is dropped.
   *
   * @param ruled what the rules of the route say of the request, or null where it has none
   */
  public HeadWriter begin(ResponseSink to, int sentStatus, @Nullable RuleOutcome ruled) {
    ByteBuf abandoned = out;
    if (abandoned != null) {
      out = null;
      abandoned.release();
    }
    out = to.beginHead(sentStatus);
    sink = to;
    rules = ruled;
    status = sentStatus;
    whole = null;
    section = STATUS;
    return this;
  }

  /**
   * The response stands for one with another status, of which it has a part or not even the body:
   * rules on the response are asked about that one.
   *
   * @param lines all of its lines, or null where they are those that are sent
   */
  public HeadWriter standsFor(int wholeStatus, byte @Nullable [] lines) {
    status = wholeStatus;
    whole = lines;
    return this;
  }

  /** The whole line of the route, or null where it has none. */
  public HeadWriter transportSecurity(byte @Nullable [] line) {
    ByteBuf head = at(TRANSPORT_SECURITY);
    if (line != null) {
      head.writeBytes(line);
    }
    return this;
  }

  /** Where lines of fields are written to. */
  public ByteBuf fields() {
    return at(FIELDS);
  }

  /** What is sent is not the content that a Content-Digest among the fields is of. */
  public HeadWriter withoutContentDigest() {
    NamedLines.removeFrom(at(FIELDS), CONTENT_DIGEST);
    return this;
  }

  /** {@code Vary: Accept-Encoding}, beside what the fields say. */
  public HeadWriter variesByEncoding() {
    at(FIELDS).writeBytes(VARIES_BY_ENCODING);
    return this;
  }

  /** {@code Vary: Available-Dictionary}, beside what the fields say. */
  public HeadWriter variesByDictionary() {
    at(FIELDS).writeBytes(VARIES_BY_DICTIONARY);
    return this;
  }

  /**
   * One more line beside the fields.
   *
   * @param ascii with its end
   */
  public HeadWriter line(String ascii) {
    int ignored = ByteBufUtil.writeAscii(at(FIELDS), ascii);
    return this;
  }

  public HeadWriter age(long seconds) {
    HeadLines.age(at(AGE), seconds);
    return this;
  }

  /** The whole line. */
  public HeadWriter via(byte[] line) {
    at(VIA).writeBytes(line);
    return this;
  }

  /** The names of the trailer fields that follow the body; nothing where there are none. */
  public HeadWriter trailer(String names) {
    ByteBuf head = at(TRAILER);
    if (!names.isEmpty()) {
      HeadLines.text(head, "trailer: " + names + "\r\n");
    }
    return this;
  }

  public HeadWriter cacheStatus(String member) {
    HeadLines.cacheStatus(at(CACHE_STATUS), member);
    return this;
  }

  /** As {@link #cacheStatus}, for a hit. */
  public HeadWriter cacheStatusHit(CacheStatus status, Reason why, long ttlSeconds) {
    HeadLines.cacheStatusHit(at(CACHE_STATUS), status, why, ttlSeconds, scratch);
    return this;
  }

  public HeadWriter proxyStatus(String member) {
    HeadLines.text(at(PROXY_STATUS), "proxy-status: " + member + "\r\n");
    return this;
  }

  /** Content-Range of a satisfied range, both ends inclusive; a total of -1 is not known. */
  public HeadWriter contentRange(long first, long last, long total) {
    HeadLines.contentRange(at(CONTENT_RANGE), first, last, total);
    return this;
  }

  public HeadWriter unsatisfiedRange(long total) {
    HeadLines.unsatisfiedRange(at(CONTENT_RANGE), total);
    return this;
  }

  /** Ends the head and sends it; the parameters are those of {@link ResponseSink#head}. */
  public void send(long contentLength, boolean isLast) {
    ResponseSink to = Objects.requireNonNull(sink);
    // The sink may begin the next head before it returns.
    to.head(end(), contentLength, isLast);
  }

  /** Ends the head and returns its buffer; the caller sends and releases it. */
  public ByteBuf end() {
    ByteBuf head = Objects.requireNonNull(out, "no head was begun");
    RuleOutcome ruled = rules;
    if (ruled != null) {
      edit(head, ruled);
      Consumer<ByteBuf> observer = ruled.observer();
      if (observer != null) {
        observer.accept(head);
      }
      rules = null;
    }
    out = null;
    sink = null;
    section = NONE;
    return head;
  }

  private void edit(ByteBuf head, RuleOutcome ruled) {
    if (ruled.hasConditions()) {
      byte[] lines = whole;
      ruled.judge(facts.of(status, lines == null ? head : Unpooled.wrappedBuffer(lines)));
      facts.clear();
      whole = null;
    }
    if (ruled.isBare()) {
      NamedLines.retainIn(head, NEEDED);
      HeadLines.text(head, "cache-control: no-store\r\n");
      return;
    }
    for (int i = 0; i < ruled.editCount(); i++) {
      if (!ruled.applies(i)) {
        continue;
      }
      NamedLines.removeFrom(head, ruled.removedPrefixes(i));
      head.writeBytes(ruled.lines(i));
      for (FieldEdits.Fallback fallback : ruled.fallbacks(i)) {
        if (!NamedLines.areIn(head, fallback.beginnings())) {
          head.writeBytes(fallback.line());
        }
      }
    }
    Supplier<byte[]> last = ruled.lastLines();
    if (last != null) {
      head.writeBytes(last.get());
    }
  }

  private IllegalStateException tooLate(int next) {
    return new IllegalStateException(
        section == NONE ? "no head was begun" : "section " + next + " after " + section);
  }

  private ByteBuf at(int next) {
    ByteBuf head = out;
    // No head begun counts as the last section, so one comparison covers both.
    if (next < section) {
      throw tooLate(next);
    }
    section = next;
    return Objects.requireNonNull(head);
  }
}
