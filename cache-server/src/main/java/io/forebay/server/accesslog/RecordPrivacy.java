package io.forebay.server.accesslog;

import io.forebay.server.config.LogConfig;
import io.forebay.server.network.IpAddress;
import io.forebay.server.text.SecretMask;
import org.jspecify.annotations.Nullable;

/**
 * Takes out of records what lines do not have of clients: secrets in URLs, and the last bits of
 * addresses. Confined to the thread that writes.
 */
final class RecordPrivacy {
  private static final int CACHED = 256;

  private final SecretMask mask;
  private final boolean isWhole;
  private final int ipv4Bits;
  private final int ipv6Bits;

  // Addresses come again and again.
  private final @Nullable String[] known = new @Nullable String[CACHED];
  private final @Nullable String[] truncated = new @Nullable String[CACHED];

  private RecordPrivacy(SecretMask mask, boolean isWhole, int ipv4Bits, int ipv6Bits) {
    this.mask = mask;
    this.isWhole = isWhole;
    this.ipv4Bits = ipv4Bits;
    this.ipv6Bits = ipv6Bits;
  }

  static RecordPrivacy of(LogConfig.Lines lines) {
    return new RecordPrivacy(
        new SecretMask(lines.mask()),
        !lines.truncatesClients(),
        lines.ipv4Bits(),
        lines.ipv6Bits());
  }

  void apply(AccessRecord record) {
    mask(record, AccessRecord.PATH, false);
    mask(record, AccessRecord.QUERY, true);
    mask(record, AccessRecord.REFERER, false);
    maskHeaders(record, 0, record.rules.requestHeaders().size());
    maskHeaders(record, AccessRecord.OF_RESPONSE, record.rules.responseHeaders().size());
    String client = record.client;
    if (client != null) {
      record.client = client(client);
    }
  }

  SecretMask mask() {
    return mask;
  }

  /** What is told of an address; null for nothing. */
  @Nullable String client(String address) {
    return isWhole ? address : truncated(address);
  }

  private void mask(AccessRecord record, int field, boolean isQuery) {
    int length = record.lengths[field];
    if (length > 0) {
      int from = AccessRecord.offset(field);
      record.lengths[field] =
          (short) (mask.apply(record.text, from, from + length, isQuery) - from);
    }
  }

  private void maskHeaders(AccessRecord record, int firstPlace, int count) {
    for (int i = firstPlace; i < firstPlace + count; i++) {
      int from = i * AccessRecord.EXTRA_LENGTH;
      int length = record.extraLengths[i];
      if (length > 0) {
        record.extraLengths[i] =
            (short) (mask.apply(record.extra, from, from + length, false) - from);
      }
    }
  }

  /** What is no address is left out, for it might have one. */
  private @Nullable String truncated(String client) {
    int place = client.hashCode() & (CACHED - 1);
    if (!client.equals(known[place])) {
      IpAddress address = IpAddress.parse(client);
      known[place] = client;
      truncated[place] =
          address == null
              ? null
              : address.withoutHost(address.isV4() ? ipv4Bits : ipv6Bits).toText();
    }
    return truncated[place];
  }
}
