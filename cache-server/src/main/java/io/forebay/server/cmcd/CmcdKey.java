package io.forebay.server.cmcd;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The keys of CMCD in requests, of version 1 and of version 2, in the order of the access log:
 * those whose values may be long come last.
 */
@SuppressWarnings("ImmutableEnumChecker") // arrays that nobody writes
enum CmcdKey {
  V(Type.INTEGER),
  SU(Type.BOOLEAN),
  BS(Type.BOOLEAN),
  BL(Type.INTEGER),
  MTP(Type.INTEGER),
  BR(Type.INTEGER),
  D(Type.INTEGER),
  DL(Type.INTEGER),
  OT(Type.TOKEN),
  ST(Type.TOKEN),
  SF(Type.TOKEN),
  PR(Type.DECIMAL),
  RTP(Type.INTEGER),
  TB(Type.INTEGER),
  AB(Type.INTEGER),
  LAB(Type.INTEGER),
  LB(Type.INTEGER),
  PB(Type.INTEGER),
  TAB(Type.INTEGER),
  TBL(Type.INTEGER),
  TPB(Type.INTEGER),
  BG(Type.BOOLEAN),
  BSA(Type.INTEGER),
  BSD(Type.INTEGER),
  BSDA(Type.INTEGER),
  CS(Type.STRING),
  DF(Type.INTEGER),
  DFA(Type.INTEGER),
  LTC(Type.INTEGER),
  MSD(Type.INTEGER),
  NR(Type.BOOLEAN),
  PT(Type.INTEGER),
  SN(Type.INTEGER),
  STA(Type.TOKEN),
  TS(Type.INTEGER),
  SID(Type.STRING),
  CID(Type.STRING),
  CDN(Type.STRING),
  EC(Type.STRING),
  NRR(Type.STRING),
  NOR(Type.STRING);

  /** The type of a value, or of each member of an inner list. */
  enum Type {
    INTEGER,
    DECIMAL,
    BOOLEAN,
    STRING,
    TOKEN,
    /** What no key takes. */
    OTHER
  }

  /** Longest name. */
  private static final int MAX_NAME = 4;

  private static final CmcdKey[] ALL = values();

  private final Type type;
  private final byte[] name;
  private final byte[] member;
  private final int packed;

  CmcdKey(Type type) {
    this.type = type;
    String text = name().toLowerCase(Locale.ROOT);
    this.name = text.getBytes(StandardCharsets.US_ASCII);
    this.member = ("\"" + text + "\":").getBytes(StandardCharsets.US_ASCII);
    this.packed = packed(name, 0, name.length);
  }

  private static int packed(byte[] text, int from, int to) {
    int packed = 0;
    for (int i = from; i < to; i++) {
      packed = packed << Byte.SIZE | text[i];
    }
    return packed;
  }

  /** The key of that name, or null. */
  static @Nullable CmcdKey of(byte[] text, int from, int to) {
    if (to - from > MAX_NAME) {
      return null;
    }
    int wanted = packed(text, from, to);
    for (CmcdKey key : ALL) {
      if (key.packed == wanted) {
        return key;
      }
    }
    return null;
  }

  /** Whether a value of that type is one of this key. */
  boolean takes(Type found) {
    return found == type || (type == Type.DECIMAL && found == Type.INTEGER);
  }

  Type type() {
    return type;
  }

  /** The name as a member of a JSON object, with its colon. */
  byte[] member() {
    return member;
  }
}
