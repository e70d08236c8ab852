package io.forebay.server.counters;

import java.util.Locale;

/** Counts handshakes by key exchange group; written and read as {@link LoopCounters}. */
public final class TlsGroupCounters {
  private final long[] handshakes = new long[Group.values().length];

  /** Groups of TLS (RFC 8446 §4.2.7) that browsers offer; the label {@code group} of the metric. */
  public enum Group {
    X25519MLKEM768,
    X25519,
    P256("P-256"),
    P384("P-384"),
    P521("P-521"),
    OTHER("other");

    private static final Group[] ALL = values();

    private final String label;

    Group() {
      this.label = name();
    }

    Group(String label) {
      this.label = label;
    }

    public String label() {
      return label;
    }

    /** The group that the TLS library calls so. */
    public static Group of(String name) {
      String plain = name.toUpperCase(Locale.ROOT).replace("-", "");
      for (Group group : ALL) {
        if (group.name().equals(plain)) {
          return group;
        }
      }
      return OTHER;
    }
  }

  public void count(Group group) {
    handshakes[group.ordinal()]++;
  }

  public long handshakes(Group group) {
    return handshakes[group.ordinal()];
  }
}
