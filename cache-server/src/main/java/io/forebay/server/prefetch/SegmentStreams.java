package io.forebay.server.prefetch;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The streams of segments that clients of one event loop asked for lately: how often, whether their
 * numbers count up, and how long their objects are. Of fixed size: the one not asked for longest is
 * forgotten. Confined to the loop.
 */
public final class SegmentStreams {

  /** Requests within this time, or the one before, make a stream popular. */
  public static final long WINDOW_MILLIS = 10_000;

  static final int MAX_STREAMS = 1024;
  static final int MAX_ATTEMPTS = 4096;

  /** Longer names are not remembered. */
  public static final int MAX_NAME = 1024;

  /** How long an object that was fetched, or found stored, is not looked at again. */
  private static final long AFTER_SUCCESS_MILLIS = 60_000;

  /** The same for one that did not exist yet. */
  private static final long AFTER_FAILURE_MILLIS = 1_000;

  private final Map<String, Stream> streams = new Lru<>(MAX_STREAMS);

  /** Objects that were looked at, and until when they are not again. */
  private final Map<String, Long> attempts = new Lru<>(MAX_ATTEMPTS);

  /** A map that forgets what was not used longest. */
  private static final class Lru<V> extends LinkedHashMap<String, V> {
    private static final long serialVersionUID = 1;

    private final int limit;

    Lru(int limit) {
      super(16, 0.75f, true);
      this.limit = limit;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
      return size() > limit;
    }
  }

  /** What is known of one stream. */
  public static final class Stream {
    private long windowMillis;
    private int requests;
    private int requestsBefore;
    private long lastNumber = -1;
    private boolean countsUp;
    private long bytes;
    private long objectId;

    private Stream(long nowMillis) {
      windowMillis = nowMillis;
    }

    private void roll(long nowMillis) {
      long passed = nowMillis - windowMillis;
      if (passed >= WINDOW_MILLIS) {
        requestsBefore = passed < 2 * WINDOW_MILLIS ? requests : 0;
        requests = 0;
        windowMillis = nowMillis - passed % WINDOW_MILLIS;
      }
    }

    /** Whether so many requests came in this window, or in the one before. */
    public boolean isPopular(int needed, long nowMillis) {
      roll(nowMillis);
      return Math.max(requests, requestsBefore) >= needed;
    }

    /** Whether a number that followed another one was asked for. */
    public boolean countsUp() {
      return countsUp;
    }

    /** The length of the largest of its objects lately; 0 while none is known. */
    public long bytes() {
      return bytes;
    }
  }

  /** A client asks for an object of a stream; null if that has too long a name. */
  public @Nullable Stream asked(String name, long number, long nowMillis) {
    if (name.length() > MAX_NAME) {
      return null;
    }
    Stream stream = streams.computeIfAbsent(name, added -> new Stream(nowMillis));
    stream.roll(nowMillis);
    stream.requests++;
    if (number >= 0) {
      stream.countsUp |= stream.lastNumber >= 0 && number == stream.lastNumber + 1;
      stream.lastNumber = number;
    }
    return stream;
  }

  /** The stream of that name, or null. */
  public @Nullable Stream find(String name) {
    return streams.get(name);
  }

  /** An object of a stream had so many bytes; larger ones lately count, and fade. */
  public void had(String name, long bytes) {
    Stream stream = streams.get(name);
    if (stream != null) {
      stream.bytes = Math.max(bytes, stream.bytes - stream.bytes / 8);
    }
  }

  /** Whether the object of a stream is another one than at the last call; remembers it. */
  public boolean isNew(String name, long objectId) {
    Stream stream = streams.get(name);
    if (stream == null || stream.objectId == objectId) {
      return false;
    }
    stream.objectId = objectId;
    return true;
  }

  /** Whether an object may be looked at now; it then may not be for a while. */
  public boolean mayTry(String url, long nowMillis) {
    Long until = attempts.get(url);
    if (until != null && nowMillis < until) {
      return false;
    }
    attempts.put(url, nowMillis + AFTER_SUCCESS_MILLIS);
    return true;
  }

  /** It did not exist, or could not be fetched now. */
  public void failed(String url, long nowMillis) {
    attempts.put(url, nowMillis + AFTER_FAILURE_MILLIS);
  }
}
