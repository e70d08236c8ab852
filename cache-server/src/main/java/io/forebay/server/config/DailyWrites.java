package io.forebay.server.config;

/**
 * How much may be written to a disk store a day: a number of bytes, or a number of sizes of the
 * store (DWPD).
 *
 * @param bytes 0 for a number of sizes, and for no bound
 * @param hundredths of sizes; 0 for bytes
 */
public record DailyWrites(long bytes, int hundredths) {
  public static final DailyWrites NONE = new DailyWrites(0, 0);

  public static DailyWrites of(long bytes) {
    return new DailyWrites(bytes, 0);
  }

  /** Of a store of that size; 0 means no bound. */
  public long bytes(long storeBytes) {
    return hundredths == 0 ? bytes : Math.max(1, (long) (storeBytes * (hundredths / 100.0)));
  }

  /** As it is written in a configuration. */
  @Override
  public String toString() {
    return hundredths == 0
        ? ValueType.printSize(bytes)
        : hundredths / 100 + (hundredths % 100 == 0 ? "" : fraction()) + " DWPD";
  }

  private String fraction() {
    int rest = hundredths % 100;
    return rest % 10 == 0 ? "." + rest / 10 : "." + (rest < 10 ? "0" : "") + rest;
  }
}
