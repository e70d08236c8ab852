package io.forebay.server.rule;

import io.forebay.core.http.AuthorityNormalizer;
import io.forebay.core.http.RequestView;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Redirects by what a request asks for: a whole text, or a prefix that ends with a slash. A whole
 * text is preferred to a prefix, a longer prefix to a shorter one. Immutable and compact; a search
 * goes over the text of the request once and allocates nothing.
 *
 * <pre>
 *   slots   hash ──► 12 bits of it, and number of an entry + 1; or 0
 *                    at most half are used; other texts are told by the bits, without a look at them
 *   ends    where FROM and TO of an entry end in the texts
 *   texts   FROM TO FROM TO ...                         Latin-1
 *   kinds   status, and whether FROM is a prefix
 * </pre>
 *
 * <p>A {@link RedirectFilter} answers most searches without an entry.
 *
 * <p>Entries come from the configuration, so clients cannot cause collisions.
 */
public final class RedirectMap {

  /** No entry. */
  public static final int NONE = -1;

  /** Stands in a target for what follows the prefix. */
  public static final String REST = ":splat";

  /** Statuses that an entry can have. */
  public static final List<Integer> STATUSES = List.of(301, 302, 303, 307, 308);

  private static final int SEED = 0x811c9dc5;
  private static final int OF_PREFIX = 0x5bd1e995;
  private static final int PREFIX_BIT = 0x40;

  /** Of a slot: the number of an entry + 1. */
  private static final int ENTRY = 0xfffff;

  /** What is compared with entries. */
  public enum By {
    /** The path. */
    PATH,
    /** The path, and the query as it was received. */
    URI,
    /** The host, in lower case and without a port, and the path. */
    HOST_PATH
  }

  private final By by;
  private final int[] slots;
  private final int[] ends;
  private final byte[] texts;
  private final byte[] kinds;
  private final RedirectFilter filter;
  private final int[] prefixLengths;

  private RedirectMap(Builder built) {
    by = built.by;
    slots = built.slots;
    ends = Arrays.copyOf(built.ends, 2 * built.count);
    texts = Arrays.copyOf(built.texts, built.length);
    kinds = Arrays.copyOf(built.kinds, built.count);
    filter = new RedirectFilter(built.count);
    for (int entry = 0; entry < kinds.length; entry++) {
      String from = from(entry);
      int host = by == By.HOST_PATH ? Math.max(0, from.indexOf('/')) : 0;
      int question = by == By.URI ? from.indexOf('?') : -1;
      int end = question < 0 ? from.length() : question;
      filter.add(isPrefix(entry), from.substring(host), end - host, end);
    }
    prefixLengths = filter.prefixLengths();
  }

  /** Number of entries. */
  public int size() {
    return kinds.length;
  }

  /** Bytes of heap that it takes, but for headers of objects. */
  public long bytes() {
    return 4L * slots.length + 4L * ends.length + texts.length + kinds.length + filter.bytes();
  }

  /** Holds where there is an entry for the request. */
  public Condition condition() {
    return new HasEntry(this);
  }

  /** The entry for a request, or {@link #NONE}. */
  public int find(RequestView request) {
    String authority = request.authority();
    return find(
        authority,
        by == By.HOST_PATH ? AuthorityNormalizer.hostLength(authority) : 0,
        request.pathText(),
        by == By.URI ? request.queryText() : null);
  }

  /**
   * The entry for a host, a path and a query.
   *
   * @param hostLength of the host in {@code host}; 0 where it is not compared
   * @param query null where there is none, or it is not compared
   */
  public int find(
      CharSequence host, int hostLength, CharSequence path, @Nullable CharSequence query) {
    int pathLength = path.length();
    if (!filter.mayBegin(path, pathLength)) {
      return NONE;
    }
    boolean mayBeWhole = filter.mayHaveWhole(path, pathLength, hostLength + pathLength);
    int prefixesEnd = prefixesEnd(hostLength, path);
    if (!mayBeWhole && prefixesEnd == 0) {
      return NONE;
    }
    int hash = SEED;
    for (int i = 0; i < hostLength; i++) {
      hash = step(hash, host.charAt(i));
    }
    int found = NONE;
    int pathEnd = mayBeWhole ? pathLength : prefixesEnd;
    for (int i = 0; i < pathEnd; i++) {
      char c = path.charAt(i);
      hash = step(hash, c);
      int length = hostLength + i + 1;
      if (c == '/' && i < prefixesEnd) {
        int prefix = entry(hash ^ OF_PREFIX, true, length, host, hostLength, path, null);
        found = prefix == NONE ? found : prefix;
      }
    }
    if (!mayBeWhole) {
      return found;
    }
    if (query != null) {
      hash = step(hash, '?');
      for (int i = 0; i < query.length(); i++) {
        hash = step(hash, query.charAt(i));
      }
    }
    int total = hostLength + pathLength + (query == null ? 0 : 1 + query.length());
    int whole = entry(hash, false, total, host, hostLength, path, query);
    return whole == NONE ? found : whole;
  }

  /** Where the last prefix of the path ends that may have an entry, or 0. */
  private int prefixesEnd(int hostLength, CharSequence path) {
    int found = 0;
    for (int length : prefixLengths) {
      int end = length - hostLength;
      if (end > path.length()) {
        break;
      }
      if (end > 0 && path.charAt(end - 1) == '/' && filter.mayHavePrefix(path, end, length)) {
        found = end;
      }
    }
    return found;
  }

  private int entry(
      int hash,
      boolean isPrefix,
      int length,
      CharSequence host,
      int hostLength,
      CharSequence path,
      @Nullable CharSequence query) {
    int mask = slots.length - 1;
    int mixed = mixed(hash);
    for (int slot = mixed & mask; ; slot = (slot + 1) & mask) {
      int found = slots[slot];
      if (found == 0) {
        return NONE;
      }
      int entry = (found & ENTRY) - 1;
      if (((found ^ mixed) & ~ENTRY) == 0
          && ends[2 * entry] - start(entry) == length
          && isPrefix(entry) == isPrefix
          && isSame(start(entry), length, host, hostLength, path, query)) {
        return entry;
      }
    }
  }

  private boolean isSame(
      int from,
      int length,
      CharSequence host,
      int hostLength,
      CharSequence path,
      @Nullable CharSequence query) {
    int at = from;
    for (int i = 0; i < hostLength; i++) {
      if ((texts[at++] & 0xff) != host.charAt(i)) {
        return false;
      }
    }
    int pathLength = Math.min(path.length(), length - hostLength);
    for (int i = 0; i < pathLength; i++) {
      if ((texts[at++] & 0xff) != path.charAt(i)) {
        return false;
      }
    }
    if (query == null) {
      return true;
    }
    if (texts[at++] != '?') {
      return false;
    }
    for (int i = 0; i < query.length(); i++) {
      if ((texts[at++] & 0xff) != query.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private int start(int entry) {
    return entry == 0 ? 0 : ends[2 * entry - 1];
  }

  /** Whether what an entry compares with is a prefix. */
  public boolean isPrefix(int entry) {
    return (kinds[entry] & PREFIX_BIT) != 0;
  }

  /** The text that an entry compares with. */
  public String from(int entry) {
    return text(start(entry), ends[2 * entry]);
  }

  /** The target of an entry, as it was written. */
  public String to(int entry) {
    return text(ends[2 * entry], ends[2 * entry + 1]);
  }

  public int status(int entry) {
    return STATUSES.get(kinds[entry] & ~PREFIX_BIT);
  }

  private String text(int from, int to) {
    return new String(texts, from, to - from, StandardCharsets.ISO_8859_1);
  }

  /**
   * Where an entry leads a request that it was found for. The client's query goes along where it
   * was not compared and the target has none.
   */
  public String location(int entry, RequestView request) {
    String to = to(entry);
    String query = request.query();
    if (isPrefix(entry)) {
      String path = request.path();
      String asked = by == By.URI && query != null ? path + "?" + query : path;
      int host = by == By.HOST_PATH ? AuthorityNormalizer.hostLength(request.authority()) : 0;
      to = to.replace(REST, asked.substring(ends[2 * entry] - start(entry) - host));
      if (to.startsWith("//")) {
        // It would name a host.
        to = to.replaceFirst("^/+", "/");
      }
    }
    if (by != By.URI && query != null && to.indexOf('?') < 0) {
      int fragment = to.indexOf('#');
      int end = fragment < 0 ? to.length() : fragment;
      to = to.substring(0, end) + "?" + query + to.substring(end);
    }
    return Template.encoded(to);
  }

  private static int step(int hash, int c) {
    return (hash ^ c) * 0x01000193;
  }

  private static int mixed(int hash) {
    int mixed = (hash ^ hash >>> 16) * 0x85ebca6b;
    mixed = (mixed ^ mixed >>> 13) * 0xc2b2ae35;
    return mixed ^ mixed >>> 16;
  }

  private record HasEntry(RedirectMap map) implements Condition {

    @Override
    public int test(RequestFacts facts) {
      return map.find(facts.view()) == RedirectMap.NONE ? NO : YES;
    }

    @Override
    public int cost() {
      return 20;
    }

    @Override
    public void parts(Consumer<RequestPart> each) {
      each.accept(new RequestPart(RequestPart.Kind.PATH, ""));
      switch (map.by) {
        case PATH -> {}
        case URI -> each.accept(new RequestPart(RequestPart.Kind.QUERY, ""));
        case HOST_PATH -> each.accept(new RequestPart(RequestPart.Kind.HOST, ""));
      }
    }
  }

  /** Collects entries. */
  public static final class Builder {
    private final By by;
    private int[] slots = new int[16];
    private int[] ends = new int[16];
    private byte[] texts = new byte[1024];
    private byte[] kinds = new byte[8];
    private int count;
    private int length;

    public Builder(By by) {
      this.by = by;
    }

    /**
     * Adds an entry. Both texts are ASCII.
     *
     * @param from in normal form; a prefix ends with a slash
     * @param status one of {@link #STATUSES}
     * @return {@link #NONE}, or the entry that has the same text already; nothing is added then
     */
    public int add(String from, boolean isPrefix, String to, int status) {
      int hash = SEED;
      for (int i = 0; i < from.length(); i++) {
        hash = step(hash, from.charAt(i));
      }
      int place = isPrefix ? hash ^ OF_PREFIX : hash;
      byte[] key = from.getBytes(StandardCharsets.ISO_8859_1);
      int known = find(place, isPrefix, key);
      if (known != NONE) {
        return known;
      }
      byte[] target = to.getBytes(StandardCharsets.ISO_8859_1);
      if (count == ENTRY) {
        throw new IllegalStateException("more than " + ENTRY + " entries");
      }
      if (count == kinds.length) {
        kinds = Arrays.copyOf(kinds, 2 * count);
        ends = Arrays.copyOf(ends, 4 * count);
      }
      int needed = length + key.length + target.length;
      if (needed > texts.length) {
        texts = Arrays.copyOf(texts, Math.max(needed, 2 * texts.length));
      }
      System.arraycopy(key, 0, texts, length, key.length);
      System.arraycopy(target, 0, texts, length + key.length, target.length);
      ends[2 * count] = length + key.length;
      ends[2 * count + 1] = needed;
      length = needed;
      int number = STATUSES.indexOf(status);
      if (number < 0) {
        throw new IllegalArgumentException("no status of a redirect: " + status);
      }
      kinds[count] = (byte) (isPrefix ? number | PREFIX_BIT : number);
      count++;
      if (2 * count > slots.length) {
        grow();
      } else {
        put(place, count - 1);
      }
      return NONE;
    }

    private int find(int hash, boolean isPrefix, byte[] key) {
      int mask = slots.length - 1;
      for (int slot = mixed(hash) & mask; ; slot = (slot + 1) & mask) {
        int entry = (slots[slot] & ENTRY) - 1;
        if (entry < 0) {
          return NONE;
        }
        int start = start(entry);
        if ((kinds[entry] & PREFIX_BIT) != 0 == isPrefix
            && Arrays.equals(texts, start, ends[2 * entry], key, 0, key.length)) {
          return entry;
        }
      }
    }

    private int start(int entry) {
      return entry == 0 ? 0 : ends[2 * entry - 1];
    }

    private void put(int hash, int entry) {
      int mask = slots.length - 1;
      int mixed = mixed(hash);
      int slot = mixed & mask;
      while (slots[slot] != 0) {
        slot = (slot + 1) & mask;
      }
      slots[slot] = (mixed & ~ENTRY) | (entry + 1);
    }

    private void grow() {
      slots = new int[2 * slots.length];
      for (int entry = 0; entry < count; entry++) {
        int hash = SEED;
        for (int i = start(entry); i < ends[2 * entry]; i++) {
          hash = step(hash, texts[i] & 0xff);
        }
        put((kinds[entry] & PREFIX_BIT) != 0 ? hash ^ OF_PREFIX : hash, entry);
      }
    }

    public RedirectMap build() {
      return new RedirectMap(this);
    }
  }
}
