package io.forebay.server.accesslog;

import io.forebay.server.config.LogConfig;
import io.forebay.server.network.IpAddress;
import io.forebay.server.text.SecretMask;
import java.nio.charset.StandardCharsets;
import java.util.List;
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
  private final AddressFields addresses;

  // Addresses come again and again.
  private final @Nullable String[] known = new @Nullable String[CACHED];
  private final @Nullable String[] truncated = new @Nullable String[CACHED];

  private RecordPrivacy(SecretMask mask, boolean isWhole, int ipv4Bits, int ipv6Bits) {
    this.mask = mask;
    this.isWhole = isWhole;
    this.ipv4Bits = ipv4Bits;
    this.ipv6Bits = ipv6Bits;
    this.addresses = new AddressFields(ipv4Bits, ipv6Bits);
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
    headers(record, 0, record.rules.requestHeaders());
    headers(record, AccessRecord.OF_RESPONSE, record.rules.responseHeaders());
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

  private void headers(AccessRecord record, int firstPlace, List<String> names) {
    for (int n = 0; n < names.size(); n++) {
      int place = firstPlace + n;
      int from = place * AccessRecord.EXTRA_LENGTH;
      int length = record.extraLengths[place];
      if (length > 0 && !isWhole && AddressFields.isOne(names.get(n))) {
        record.extraLengths[place] = (short) shortened(record.extra, from, length, names.get(n));
      } else if (length > 0) {
        record.extraLengths[place] =
            (short) (mask.apply(record.extra, from, from + length, false) - from);
      }
    }
  }

  /** Rewrites a value in its place; gives its length. */
  private int shortened(byte[] bytes, int from, int length, String name) {
    String value = new String(bytes, from, length, StandardCharsets.ISO_8859_1);
    byte[] shown = addresses.shortened(name, value).getBytes(StandardCharsets.ISO_8859_1);
    int kept = Math.min(shown.length, AccessRecord.EXTRA_LENGTH);
    System.arraycopy(shown, 0, bytes, from, kept);
    return kept;
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
