package io.forebay.storage.memory;

/**
 * What the kernel has done to find free pages, since the control group of this process exists or
 * the machine runs. Pages that it scans without taking them are a sign that memory is tight.
 *
 * @param scannedPages that it looked at ({@code pgscan})
 * @param reclaimedPages that it took ({@code pgsteal})
 */
public record PageReclaim(long scannedPages, long reclaimedPages) {
  /** Nothing, or nothing is known. */
  public static final PageReclaim NONE = new PageReclaim(0, 0);
}
