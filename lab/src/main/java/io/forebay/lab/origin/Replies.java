package io.forebay.lab.origin;

import io.forebay.lab.body.Body;
import io.forebay.lab.origin.Reply.Content;
import io.forebay.lab.origin.Reply.Part;
import io.forebay.lab.origin.Reply.Text;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.ObjectMapper;

/** Decides what a request is answered with. Holds no connection and sends nothing. */
final class Replies {
  private static final String STATS = "/_stats";
  private static final String NO_STORE = "no-store";
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final String JSON = "application/json";
  private static final String ALLOWED = "GET, HEAD";
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final OriginOptions options;
  private final InstantSource clock;
  private final OriginCounters counters;
  private final Manifests manifests;
  private final HttpDate date = new HttpDate();

  Replies(OriginOptions options, InstantSource clock, OriginCounters counters) {
    this.options = options;
    this.clock = clock;
    this.counters = counters;
    this.manifests = new Manifests(options.window());
  }

  /**
   * The answer to a request.
   *
   * @param random for faults and jitter
   */
  Reply to(HttpRequest request, SplittableRandom random) {
    if (request.decoderResult().isFailure()) {
      return refusal(request, 400, "not a request of HTTP/1.1, or a head of more than 16 KiB");
    }
    boolean isGet = request.method().equals(HttpMethod.GET);
    if (!isGet && !request.method().equals(HttpMethod.HEAD)) {
      Reply refusal = refusal(request, 405, "write GET or HEAD");
      refusal.head().headers().set(HttpHeaderNames.ALLOW, ALLOWED);
      return refusal;
    }
    String target = withoutAuthority(request.uri());
    int mark = target.indexOf('?');
    String path = mark < 0 ? target : target.substring(0, mark);
    if (path.equals(STATS)) {
      return stats(request);
    }
    Behaviour behaviour;
    try {
      String query = mark < 0 ? "" : target.substring(mark + 1);
      behaviour = BehaviourQuery.apply(options.behaviour(), query);
    } catch (IllegalArgumentException e) {
      return message(request, 400, String.valueOf(e.getMessage()), 0);
    }
    long delay = behaviour.latencyMillis();
    if (behaviour.jitterMillis() > 0) {
      delay += random.nextInt(behaviour.jitterMillis() + 1);
    }
    Resource resource;
    try {
      resource = Resource.parse(path);
    } catch (IllegalArgumentException e) {
      return message(request, 404, String.valueOf(e.getMessage()), delay);
    }
    Instant now = clock.instant();
    if (isError(behaviour, now, random)) {
      return message(request, behaviour.errorStatus(), "an error by intent", delay);
    }
    boolean isCut = behaviour.cutShare() > 0 && random.nextDouble() < behaviour.cutShare();
    Answer answer = new Answer(request, path, behaviour, delay, isCut, now);
    return switch (resource) {
      case Resource.Sized(long bytes) ->
          answer.bytes(bytes, "application/octet-stream", behaviour.maxAgeSeconds());
      case Resource.Segment(long bytes, String name) -> segment(answer, bytes, name);
      case Resource.MediaPlaylist(String type) ->
          answer.playlist(manifests.media(type, now), "application/vnd.apple.mpegurl");
      case Resource.MasterPlaylist() ->
          answer.playlist(manifests.master(), "application/vnd.apple.mpegurl");
      case Resource.DashManifest() -> answer.playlist(manifests.dash(), "application/dash+xml");
    };
  }

  private static boolean isError(Behaviour behaviour, Instant now, SplittableRandom random) {
    int flap = behaviour.flapSeconds();
    if (flap > 0 && now.toEpochMilli() % (flap * 1000L) >= flap * 500L) {
      return true;
    }
    return behaviour.errorShare() > 0 && random.nextDouble() < behaviour.errorShare();
  }

  private Reply segment(Answer answer, long bytes, String name) {
    String type = name.endsWith(".m4s") ? "video/iso.segment" : "video/mp2t";
    int maxAge = answer.behaviour.maxAgeSeconds();
    SegmentWindow window = options.window();
    if (!window.isLive()) {
      return answer.bytes(bytes, type, maxAge);
    }
    long number;
    try {
      number = SegmentNumber.parse(name);
    } catch (IllegalArgumentException e) {
      return message(answer.request, 404, String.valueOf(e.getMessage()), answer.delay);
    }
    if (answer.now.isBefore(window.begin(number))) {
      String begin = "this segment exists from " + window.begin(number) + " on";
      return message(answer.request, 404, begin, answer.delay);
    }
    if (!answer.now.isBefore(window.end(number))) {
      String end = "this segment was gone at " + window.end(number);
      return message(answer.request, 404, end, answer.delay);
    }
    long rest = Duration.between(answer.now, window.end(number)).toSeconds();
    return answer.bytes(bytes, type, (int) Math.min(maxAge, rest));
  }

  /** A request for all of a URL: what its answer depends on. */
  private final class Answer {
    private final HttpRequest request;
    private final String path;
    private final Behaviour behaviour;
    private final long delay;
    private final boolean isCut;
    private final Instant now;

    Answer(
        HttpRequest request,
        String path,
        Behaviour behaviour,
        long delay,
        boolean isCut,
        Instant now) {
      this.request = request;
      this.path = path;
      this.behaviour = behaviour;
      this.delay = delay;
      this.isCut = isCut;
      this.now = now;
    }

    Reply bytes(long length, String type, int maxAge) {
      Body body = Body.of(options.seed(), path);
      String tag = '"' + body.tag() + '"';
      if (isNotModified(tag)) {
        return notModified(tag, maxAge);
      }
      if (behaviour.chunked()) {
        HttpResponse head = head(200);
        describe(head, type, tag, maxAge);
        boolean isLast = request.protocolVersion().equals(HttpVersion.HTTP_1_0);
        if (!isLast) {
          HttpUtil.setTransferEncodingChunked(head, true);
        }
        return reply(head, new Part(body, 0, length), isLast);
      }
      String ifRange = request.headers().get(HttpHeaderNames.IF_RANGE);
      boolean wantsRange = ifRange == null || ifRange.equals(tag);
      ByteRange range =
          wantsRange ? ByteRange.of(request.headers().get(HttpHeaderNames.RANGE), length) : null;
      if (range != null && !range.isSatisfiable()) {
        Reply refusal = message(request, 416, "the body has " + length + " bytes", delay);
        refusal.head().headers().set(HttpHeaderNames.CONTENT_RANGE, "bytes */" + length);
        return refusal;
      }
      HttpResponse head = head(range == null ? 200 : 206);
      describe(head, type, tag, maxAge);
      head.headers().set(HttpHeaderNames.ACCEPT_RANGES, HttpHeaderValues.BYTES);
      Part part = range == null ? new Part(body, 0, length) : partOf(body, range, length, head);
      HttpUtil.setContentLength(head, part.length());
      return reply(head, part, false);
    }

    private static Part partOf(Body body, ByteRange range, long length, HttpResponse head) {
      head.headers()
          .set(
              HttpHeaderNames.CONTENT_RANGE,
              "bytes " + range.from() + "-" + (range.end() - 1) + "/" + length);
      return new Part(body, range.from(), range.end());
    }

    /** Fresh for half a segment in live mode, so that an edge does not hold players back. */
    Reply playlist(String text, String type) {
      SegmentWindow window = options.window();
      int maxAge = behaviour.maxAgeSeconds();
      if (window.isLive()) {
        maxAge = Math.min(maxAge, window.seconds() / 2);
      }
      String tag = '"' + Body.of(options.seed(), text).tag() + '"';
      if (isNotModified(tag)) {
        return notModified(tag, maxAge);
      }
      HttpResponse head = head(200);
      describe(head, type, tag, maxAge);
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      HttpUtil.setContentLength(head, bytes.length);
      return reply(head, new Text(bytes), false);
    }

    private boolean isNotModified(String tag) {
      String field = request.headers().get(HttpHeaderNames.IF_NONE_MATCH);
      if (field == null) {
        return false;
      }
      for (String named : field.split(",", -1)) {
        String one = named.strip();
        if (one.equals("*") || one.equals(tag) || one.equals("W/" + tag)) {
          return true;
        }
      }
      return false;
    }

    private Reply notModified(String tag, int maxAge) {
      HttpResponse head = head(304);
      head.headers()
          .set(HttpHeaderNames.ETAG, tag)
          .set(HttpHeaderNames.CACHE_CONTROL, cacheControl(maxAge));
      return reply(head, null, false);
    }

    private static void describe(HttpResponse head, String type, String tag, int maxAge) {
      head.headers()
          .set(HttpHeaderNames.CONTENT_TYPE, type)
          .set(HttpHeaderNames.ETAG, tag)
          .set(HttpHeaderNames.CACHE_CONTROL, cacheControl(maxAge));
    }

    private static String cacheControl(int maxAge) {
      return maxAge < 0 ? NO_STORE : "public, max-age=" + maxAge;
    }

    private Reply reply(HttpResponse head, @Nullable Content content, boolean isLast) {
      boolean isHead = request.method().equals(HttpMethod.HEAD);
      return new Reply(
          head,
          isHead ? null : content,
          delay,
          behaviour.bytesPerSecond(),
          isCut && !isHead && content != null,
          closes(request, head, !isLast),
          true);
    }
  }

  private Reply stats(HttpRequest request) {
    HttpResponse head = head(200);
    byte[] bytes = MAPPER.writeValueAsBytes(counters.read());
    return text(request, head, JSON, bytes, 0, true, false);
  }

  /** An answer to a request whose end may not be found: the connection closes. */
  private Reply refusal(HttpRequest request, int status, String message) {
    byte[] bytes = (message + "\n").getBytes(StandardCharsets.UTF_8);
    return text(request, head(status), TEXT, bytes, 0, false, true);
  }

  private Reply message(HttpRequest request, int status, String message, long delay) {
    byte[] bytes = (message + "\n").getBytes(StandardCharsets.UTF_8);
    return text(request, head(status), TEXT, bytes, delay, true, true);
  }

  private static Reply text(
      HttpRequest request,
      HttpResponse head,
      String type,
      byte[] bytes,
      long delay,
      boolean isKept,
      boolean isCounted) {
    HttpHeaders headers = head.headers();
    headers.set(HttpHeaderNames.CONTENT_TYPE, type).set(HttpHeaderNames.CACHE_CONTROL, NO_STORE);
    HttpUtil.setContentLength(head, bytes.length);
    boolean isHead = request.method().equals(HttpMethod.HEAD);
    return new Reply(
        head,
        isHead ? null : new Text(bytes),
        delay,
        0,
        false,
        closes(request, head, isKept),
        isCounted);
  }

  /** Whether the connection closes after the response; writes Connection. */
  private static boolean closes(HttpRequest request, HttpResponse head, boolean mayStay) {
    boolean stays = mayStay && !hasBody(request) && HttpUtil.isKeepAlive(request);
    HttpUtil.setKeepAlive(head.headers(), request.protocolVersion(), stays);
    return !stays;
  }

  private static boolean hasBody(HttpRequest request) {
    return HttpUtil.isTransferEncodingChunked(request)
        || HttpUtil.getContentLength(request, 0L) > 0;
  }

  private HttpResponse head(int status) {
    HttpResponse head =
        new DefaultHttpResponse(
            HttpVersion.HTTP_1_1,
            HttpResponseStatus.valueOf(status),
            DefaultHttpHeadersFactory.headersFactory().withValidation(false));
    head.headers().set(HttpHeaderNames.DATE, date.of(clock.instant()));
    return head;
  }

  /** The path of a target in absolute form, as a proxy is asked for; others as they are. */
  private static String withoutAuthority(String target) {
    int scheme = target.indexOf("://");
    if (scheme < 0 || target.startsWith("/")) {
      return target;
    }
    int path = target.indexOf('/', scheme + 3);
    return path < 0 ? "/" : target.substring(path);
  }
}
