package io.forebay.server.protect.forward;

import io.forebay.core.http.CacheControl;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.HopByHop;
import io.forebay.server.config.ForwardAuthConfig;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginClient;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.origin.call.OriginListener;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.server.text.Printable;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One question to the server that decides. Its head is the verdict; of the body so much is read as
 * keeps the connection in use. Confined to the loop that sends it.
 */
final class Subrequest implements OriginListener {
  private static final Logger LOG = LoggerFactory.getLogger(Subrequest.class);

  /** A connection with more than that to come is closed. */
  private static final int MAX_BODY_BYTES = 64 << 10;

  private static final int MAX_VALUE = 1024;
  private static final int MAX_LINES = 8192;

  /** Of the page that this node sends in place of the body, or of the node itself. */
  private static final Set<String> NOT_GIVEN =
      Set.of(
          "accept-ranges",
          "age",
          "alt-svc",
          "cache-control",
          "cache-status",
          "date",
          "etag",
          "expires",
          "last-modified",
          "pragma",
          "proxy-status",
          "retry-after",
          "server",
          "strict-transport-security",
          "trailer",
          "vary",
          "via");

  private final ForwardAuthConfig config;
  private final ForwardVerdicts verdicts;
  private final EventLoop eventLoop;
  private final Outcome outcome;

  private @Nullable OriginCall call;
  private @Nullable Future<?> timeout;
  private boolean isDecided;
  private boolean isOver;
  private long bodyBytes;

  /** Told once. */
  interface Outcome {

    /**
     * The verdict is known.
     *
     * @param nanos for which it counts for other requests too
     */
    void onVerdict(ForwardVerdict verdict, long nanos);
  }

  Subrequest(
      ForwardAuthConfig config, ForwardVerdicts verdicts, EventLoop eventLoop, Outcome outcome) {
    this.config = config;
    this.verdicts = verdicts;
    this.eventLoop = eventLoop;
    this.outcome = outcome;
  }

  void send(OriginClient origins, OriginRequest request) {
    call = origins.send(config.origin(), request, this);
    timeout =
        eventLoop.schedule(this::onTimeout, config.timeout().toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void onInformational(int status, HeaderFields fields) {}

  @Override
  public void onHead(
      int status, HeaderFields fields, long contentLength, boolean isCloseDelimited) {
    boolean isRedirect =
        config.passesRedirects()
            && (status == 301 || status == 302 || status == 303 || status == 307 || status == 308)
            && fields.has("location");
    if (status / 100 == 2) {
      admit(fields);
    } else if (status == 401 || status == 403 || isRedirect) {
      decide(new ForwardVerdict.Refused(status, lines(fields)), 0);
    } else {
      fail("answered with status " + status);
    }
    if (contentLength > MAX_BODY_BYTES && !config.method().equals("HEAD")) {
      cancel();
    }
  }

  private void admit(HeaderFields fields) {
    HeaderFields.Builder copied = HeaderFields.builder();
    for (String name : config.responseFields()) {
      String value = fields.combined(name);
      if (value != null && value.length() > MAX_VALUE) {
        fail("sent a field " + name + " of more than " + MAX_VALUE + " characters");
        return;
      }
      if (value != null) {
        copied.add(name, value);
      }
    }
    CacheControl control = CacheControl.of(fields);
    long seconds = config.ttl().toSeconds();
    if (control.maxAgeSeconds() != CacheControl.ABSENT) {
      seconds = Math.min(seconds, control.maxAgeSeconds());
    }
    boolean isRemembered = !control.noStore() && !control.noCache();
    decide(
        new ForwardVerdict.Admitted(copied.build()),
        isRemembered ? TimeUnit.SECONDS.toNanos(Math.max(0, seconds)) : 0);
  }

  private static String lines(HeaderFields fields) {
    HopByHop hopByHop = HopByHop.ofResponse(fields.all("connection"));
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < fields.size(); i++) {
      String name = fields.name(i);
      String line = name + ": " + fields.value(i) + "\r\n";
      if (!hopByHop.has(name)
          && !NOT_GIVEN.contains(name)
          && !name.startsWith("content-")
          && lines.length() + line.length() <= MAX_LINES) {
        lines.append(line);
      }
    }
    return lines.toString();
  }

  @Override
  public void onData(ByteBuf data) {
    bodyBytes += data.readableBytes();
    data.release();
    if (bodyBytes > MAX_BODY_BYTES) {
      cancel();
    }
  }

  @Override
  public void onReadComplete() {}

  @Override
  public void onEnd(HeaderFields trailers) {
    over();
  }

  @Override
  public void onFailure(OriginFailure failure) {
    over();
    fail(failure.detail());
  }

  private void onTimeout() {
    cancel();
    fail("gave no answer within " + config.timeout().toMillis() + " ms");
  }

  private void cancel() {
    OriginCall sent = call;
    if (!isOver && sent != null) {
      sent.cancel();
    }
    over();
  }

  private void over() {
    if (!isOver) {
      isOver = true;
      verdicts.end();
      if (timeout != null) {
        timeout.cancel(false);
      }
    }
  }

  private void fail(String why) {
    if (!isDecided && verdicts.logs()) {
      LOG.warn("forward-auth: origin {} {}", config.origin(), Printable.line(why));
    }
    decide(new ForwardVerdict.Failed(), 0);
  }

  private void decide(ForwardVerdict verdict, long nanos) {
    if (!isDecided) {
      isDecided = true;
      outcome.onVerdict(verdict, nanos);
    }
  }
}
