package io.forebay.server.counters;

import org.jspecify.annotations.Nullable;

/**
 * The counters of one event loop: plain fields, written by that loop only. Metrics read them
 * without synchronization and sum them over loops. A reader may see a slightly old value, but never
 * a torn one.
 */
public final class LoopCounters {
  private static final int RESULTS = CacheResult.values().length;

  // Classes of status: 1 to 5; 0 where none was sent.
  private static final int STATUSES = 6;

  private final CounterNames names;

  // By method class, cache result and class of status; see cell.
  private final long[] requests = new long[MethodClass.values().length * RESULTS * STATUSES];

  /** The same by route, listener and protocol. */
  public final ServedCounters served = new ServedCounters();

  // By number of the origin's name; made when the loop first sends to it.
  private final @Nullable OriginCounters[] origins = new OriginCounters[NameTable.SIZE];

  private final @Nullable ServerCounters[] originServers = new ServerCounters[NameTable.SIZE];

  /** Expressions of rules that had no value. */
  public final RuleErrors ruleErrors = new RuleErrors();

  // Hits that the fast lane answered; they are among the requests, too.
  public long fastHits;

  // Of connections, before TLS: over HTTP/1.1 all of it, over HTTP/2 and HTTP/3 of clients bodies.
  public long bytesToClients;
  public long bytesFromOrigins;
  public long bytesFromClients;

  /** Of responses, as they come: without heads and framing. */
  public long originBodyBytes;

  public long clientAborts;
  public long responsesAborted;

  // The same by cause; indexed by AbortLabel ordinal.
  private final long[] aborted = new long[AbortLabel.values().length];

  // Bodies that left memory while they were sent: gone on with from the origin, or broken off.
  public long remaindersFetched;
  public long remaindersLost;

  // Requests that asked an origin for a part of a body that the store had lost; indexed by
  // CacheResult ordinal.
  private final long[] partlyFetched = new long[RESULTS];

  // Stored bodies that could be neither kept until they are sent nor completed: misses.
  public long bodiesNotKept;

  /** Requests that waited because the index was not complete and the origin had enough to do. */
  public long recoveryWaits;

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

  /** Request bodies that were read whole before an origin was asked. */
  public long bodiesHeld;

  /** Copies of requests for origins that mirror them. */
  public long mirrorsSent;

  public long mirrorsDropped;
  public long mirrorFailures;
  public long originRetries;
  public long originHedges;
  public long originHedgesWon;
  public long originBodiesResumed;
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

  /** Requests that asked the origin because the node was cut off from its cluster. */
  public long fenced;

  // Bodies that had not the digest that their head had.
  public long digestMismatches;

  // Interim responses with the links of a stale response.
  public long earlyHints;

  // What was remembered of a key and pushed out by another one's before its time.
  public long historyDisplaced;

  // Variants dropped because their base key had as many as it may have, or others by now.
  public long variantsDropped;

  // Responses to POST that were stored for GET.
  public long postsStored;

  // Variants made of another one's body, because a 304 named that one's tag.
  public long variantsCopied;

  /** What was fetched ahead. */
  public final PrefetchCounters prefetch = new PrefetchCounters();

  /** What players told of themselves. */
  public final CmcdCounters cmcd = new CmcdCounters();

  /** Coded copies of stored responses. */
  public final CopyCounters copies = new CopyCounters();

  /** Deltas, which are copies against a dictionary. */
  public final CopyCounters deltas = new CopyCounters();

  /** Pages assembled from ESI. */
  public final EsiCounters esi = new EsiCounters();

  public long connectionsAccepted;
  public long connectionsOpen;
  public long connectionsRefused;
  // Handshakes with clients that were done, those of them that went on with a session, and those
  // that failed.
  public long tlsHandshakes;
  public long tlsResumed;
  public long tlsFailures;

  /** The same by the group that keys were exchanged with. */
  public final TlsGroupCounters tlsGroups = new TlsGroupCounters();

  public long requestsRefused;

  // Requests with a purge method while purges by request are on; indexed by PurgeResult ordinal.
  private final long[] purgeRequests = new long[PurgeResult.values().length];

  // Requests that the protection of their route refused; indexed by ProtectionRule ordinal.
  private final long[] protectionRefusals = new long[ProtectionRule.values().length];

  /** Keys of rate limits that lost their bucket to another key before it was full again. */
  public long rateKeysDisplaced;

  // Times each configured bound was passed; indexed by Limit ordinal.
  private final long[] limitHits = new long[LimitKey.values().length];

  // Bytes of private copies for slow clients, and their number: totals, not the present amount.
  public long privateCopies;
  public long privateCopyBytes;

  /** Of heads and bodies that lie in another cell of the memory tier than the loop's own. */
  public long remoteBytes;

  public long stalledClosed;

  // Connections granted large chunks now.
  public long largeWrites;

  public final Http3Counters http3 = new Http3Counters();

  public final LatencyHistogram originFirstByte = new LatencyHistogram();
  public final LatencyHistogram originTotal = new LatencyHistogram();

  // Of hits that exchanges answered, and of those that the fast lane did: there the head and the
  // last byte go to the transport at once.
  public final LatencyHistogram hitTime = new LatencyHistogram();
  public final LatencyHistogram fastHitTime = new LatencyHistogram();

  // Of requests that exchanges answered; indexed by CacheResult ordinal.
  private final LatencyHistogram[] lastByte = new LatencyHistogram[RESULTS];

  /** With names of its own, for a loop by itself. */
  public LoopCounters() {
    this(new CounterNames());
  }

  public LoopCounters(CounterNames names) {
    this.names = names;
    for (int i = 0; i < lastByte.length; i++) {
      lastByte[i] = new LatencyHistogram();
    }
  }

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

  public void count(ProtectionRule refusing) {
    protectionRefusals[refusing.ordinal()]++;
  }

  public long refusals(ProtectionRule rule) {
    return protectionRefusals[rule.ordinal()];
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

  /** Counts a request that is answered; {@code status} 0 when the client went away before. */
  public void countRequest(MethodClass method, CacheResult result, int status) {
    requests[cell(method, result, Math.clamp(status / 100, 0, 5))]++;
  }

  /** Requests with that method, answered so, with that class of status: 1 to 5, 0 for none. */
  public long requests(MethodClass method, CacheResult result, int statusClass) {
    return requests[cell(method, result, statusClass)];
  }

  private static int cell(MethodClass method, CacheResult result, int statusClass) {
    return (method.ordinal() * RESULTS + result.ordinal()) * STATUSES + statusClass;
  }

  /** Counts a request, answered so, that asked an origin for a part of the body by itself. */
  public void countPartlyFetched(CacheResult result) {
    partlyFetched[result.ordinal()]++;
  }

  /** Requests with that result that asked an origin for a part of the body by themselves. */
  public long partlyFetched(CacheResult result) {
    return partlyFetched[result.ordinal()];
  }

  /** The last byte of a response went to the transport; not for hits of the fast lane. */
  public void recordLastByte(CacheResult result, long nanos) {
    lastByte[result.ordinal()].record(nanos);
  }

  /** Times to the last byte of responses with that result, without those of the fast lane. */
  public LatencyHistogram lastByte(CacheResult result) {
    return lastByte[result.ordinal()];
  }

  /** The names that numbers of routes, origins, servers and listeners stand for. */
  public CounterNames names() {
    return names;
  }

  /** What is counted of an origin; made at the first call. For the loop itself. */
  public OriginCounters origin(int number) {
    OriginCounters known = origins[number];
    if (known == null) {
      known = new OriginCounters();
      origins[number] = known;
    }
    return known;
  }

  /** What is counted of an origin's server; made at the first call. For the loop itself. */
  public ServerCounters originServer(int number) {
    ServerCounters known = originServers[number];
    if (known == null) {
      known = new ServerCounters();
      originServers[number] = known;
    }
    return known;
  }

  /** What is counted of a server, or null where nothing was sent to it. Any thread. */
  public @Nullable ServerCounters originServerIfAny(int number) {
    return originServers[number];
  }

  /** What is counted of an origin, or null where nothing was sent to it. Any thread. */
  public @Nullable OriginCounters originIfAny(int number) {
    return origins[number];
  }
}
