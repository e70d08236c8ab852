package io.forebay.server.counters;

/**
 * The counters of one loop: plain fields, written by that loop alone and read without order by the
 * scrape, which sums them over loops. A reader may see a value a moment old, never a torn one.
 */
public final class LoopCounters {
  // Requests by result; indexed by CacheResult ordinal * 6 + status class (1..5; 0 = aborted).
  public final long[] requests = new long[CacheResult.values().length * 6];
  // Requests by method class; indexed by MethodClass ordinal.
  public final long[] methods = new long[MethodClass.values().length];

  // The same by all three: (MethodClass ordinal * results + CacheResult ordinal) * 6 + status
  // class.
  // This is what is exported; the sums above are kept for those who read them in passing.
  public final long[] requestsByMethod =
      new long[MethodClass.values().length * CacheResult.values().length * 6];

  // Hits that the fast lane answered; they are among the requests, too.
  public long fastHits;

  public long bytesToClients;
  public long bytesFromOrigins;
  public long bytesFromClients;
  public long clientAborts;
  public long responsesAborted;

  // The same by cause; indexed by AbortLabel ordinal.
  private final long[] aborted = new long[AbortLabel.values().length];

  // Bodies that left memory while they were sent: gone on with from the origin, or broken off.
  public long restsFetched;
  public long restsLost;

  // Stored bodies that could be neither kept until they are sent nor completed: misses.
  public long bodiesNotKept;

  // Fetches of runs of slices that stored objects lack, and what they brought.
  public long sliceRuns;
  public long sliceRunsJoined;
  public long sliceRunsDenied;
  public long sliceRunsFailed;
  public long slicesFetched;

  // Connections that changed their protocol; bytes are counted when a tunnel is over.
  public long tunnelsOpened;
  public long tunnelsOpen;
  public long tunnelsRefused;
  public long tunnelBytesToOrigins;
  public long tunnelBytesToClients;

  public long originFetches;
  public long originFailures;
  public long originRetries;
  public long originConnectionsOpened;
  public long originConnectionsOpen;
  public long fillsStarted;
  public long fillsInstalled;
  public long fillsUnstored;
  public long fillsFailed;

  // Of those that failed because every client had left: what was whole was kept.
  public long fillsKept;

  // Requests that waited too long for another one's fetch, and passed.
  public long waitsGivenUp;
  public long joined;
  public long revalidations;
  public long revalidated;
  public long staleServed;

  // What was remembered of a key and pushed out by another one's before its time.
  public long historyDisplaced;

  // Variants dropped because their base key had as many as it may have, or others by now.
  public long variantsDropped;

  // Variants made of another one's body, because a 304 named that one's tag.
  public long variantsCopied;

  public long connectionsAccepted;
  public long connectionsOpen;
  public long connectionsRefused;
  // Handshakes with clients that were done, those of them that went on with a session, and those
  // that failed.
  public long tlsHandshakes;
  public long tlsResumed;
  public long tlsFailures;

  public long requestsRefused;

  // Requests with a purge method while purges by request are on; indexed by PurgeResult ordinal.
  private final long[] purgeRequests = new long[PurgeResult.values().length];

  // Times each configured bound was passed; indexed by Limit ordinal.
  private final long[] limitHits = new long[LimitKey.values().length];

  // Bytes copied aside for slow clients, and how often: totals, not what is held now.
  public long privateCopies;
  public long privateCopyBytes;
  public long stalledClosed;

  // Connections granted large chunks now.
  public long largeWrites;

  public final Http3Counters http3 = new Http3Counters();

  public final LatencyHistogram originFirstByte = new LatencyHistogram();
  public final LatencyHistogram originTotal = new LatencyHistogram();
  public final LatencyHistogram hitTime = new LatencyHistogram();

  /** How a request was answered, as clients and dashboards name it. */
  public enum CacheResult {
    HIT,
    STALE,
    REVALIDATED,
    JOINED,
    MISS,
    PASS,
    SYNTHETIC,
    REFUSED
  }

  /** What became of a request with a purge method. */
  public enum PurgeResult {
    /** On disk and in force. */
    DONE,
    /** Names nothing that can be purged. */
    MALFORMED,
    /** The client is in none of the networks that may purge. */
    DENIED,
    /** Too many at once, or the journal could not be written. */
    FAILED
  }

  /** Methods by what a cache does with them. */
  public enum MethodClass {
    GET,
    HEAD,
    OTHER
  }

  public void count(PurgeResult result) {
    purgeRequests[result.ordinal()]++;
  }

  public long purgeRequests(PurgeResult result) {
    return purgeRequests[result.ordinal()];
  }

  /** A response was aborted after its head. */
  public void countAborted(AbortLabel cause) {
    responsesAborted++;
    aborted[cause.ordinal()]++;
  }

  /** Responses aborted for that cause. */
  public long aborted(AbortLabel cause) {
    return aborted[cause.ordinal()];
  }

  /** A configured bound was passed. */
  public void hit(LimitKey limit) {
    limitHits[limit.ordinal()]++;
  }

  /** Times that bound was passed. */
  public long hits(LimitKey limit) {
    return limitHits[limit.ordinal()];
  }

  /** Times any bound was passed. */
  public long limitsHit() {
    long sum = 0;
    for (long hits : limitHits) {
      sum += hits;
    }
    return sum;
  }

  /** Counts a request whose method is not known, because it was refused before it could be read. */
  public void countRequest(CacheResult result, int status) {
    countRequest(MethodClass.OTHER, result, status);
  }

  /** Counts a request that is answered; {@code status} 0 when the client went away before. */
  public void countRequest(MethodClass method, CacheResult result, int status) {
    int cell = result.ordinal() * 6 + Math.clamp(status / 100, 0, 5);
    requests[cell]++;
    methods[method.ordinal()]++;
    requestsByMethod[method.ordinal() * requests.length + cell]++;
  }
}
