package io.forebay.server.config;

/**
 * A configured amount of memory: a number of bytes, or a share of something that the key names,
 * such as the memory available to the process.
 *
 * @param bytes 0 for a share
 * @param percent 0 for bytes
 */
public record MemorySize(long bytes, int percent) {
  public static MemorySize of(long bytes) {
    return new MemorySize(bytes, 0);
  }

  public static MemorySize share(int percent) {
    return new MemorySize(0, percent);
  }

  public boolean isShare() {
    return percent > 0;
  }

  /** As it is written in a configuration. */
  @Override
  public String toString() {
    return isShare() ? percent + "%" : ValueType.printSize(bytes);
  }
}
