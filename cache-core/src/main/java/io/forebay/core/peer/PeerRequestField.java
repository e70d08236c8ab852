package io.forebay.core.peer;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The {@code Forebay-Peer} field of a request between nodes.
 *
 * @param cluster of both nodes
 * @param from name of the node that asks
 * @param tier of the node that asks, counted from the clients
 * @param hop 1 to a node of the same tier, 0 to one of a tier further from the clients
 * @param epoch names the log of purges: 32 hexadecimal digits
 * @param begun the newest revision that had begun to take effect at the asking node; the answering
 *     node must have applied all purges up to it
 * @param scheme of the client's request: {@code http} or {@code https}
 * @param key digest of the base key's text at the asking node: 32 hexadecimal digits
 */
public record PeerRequestField(
    String cluster,
    String from,
    int tier,
    int hop,
    String epoch,
    long begun,
    String scheme,
    String key) {

  /** Name of the field, in requests and in answers. */
  public static final String NAME = "forebay-peer";

  /** Method of a request to forget what is stored for a URL. */
  public static final String FORGET = "DELETE";

  /** The highest number of a tier. */
  public static final int MAX_TIER = 7;

  private static final int MAX_HOP = 9;
  private static final int PARAMETERS = 7;
  private static final int DIGITS = 32;
  private static final int MAX_REVISION_DIGITS = 18;

  /** Parses the value of the field; null for any other form. */
  public static @Nullable PeerRequestField parse(CharSequence text) {
    Map<String, String> values = PeerParameters.parse(text, PARAMETERS);
    if (values == null || values.size() != PARAMETERS) {
      return null;
    }
    String purge = values.getOrDefault("purge", "");
    int colon = purge.indexOf(':');
    if (colon != DIGITS) {
      return null;
    }
    String cluster = values.get("cluster");
    String from = values.get("from");
    String scheme = values.getOrDefault("scheme", "");
    String epoch = purge.substring(0, colon);
    String key = values.getOrDefault("key", "");
    long begun = number(purge.substring(colon + 1), MAX_REVISION_DIGITS);
    long tier = number(values.getOrDefault("tier", ""), 1);
    long hop = number(values.getOrDefault("hop", ""), 1);
    boolean isSound =
        tier >= 0
            && tier <= MAX_TIER
            && hop >= 0
            && begun >= 0
            && isHex(epoch)
            && isHex(key)
            && (scheme.equals("http") || scheme.equals("https"));
    return cluster == null || from == null || !isSound
        ? null
        : new PeerRequestField(cluster, from, (int) tier, (int) hop, epoch, begun, scheme, key);
  }

  private static boolean isHex(String text) {
    return text.length() == DIGITS
        && text.chars().allMatch(c -> (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
  }

  /** Decimal digits without leading zeros; -1 for anything else. */
  private static long number(String text, int mostDigits) {
    if (text.isEmpty()
        || text.length() > mostDigits
        || (text.length() > 1 && text.charAt(0) == '0')
        || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return -1;
    }
    return Long.parseLong(text);
  }

  /** The value of the field. */
  @Override
  public String toString() {
    return "v=1, cluster="
        + cluster
        + ", from="
        + from
        + ", tier="
        + tier
        + ", hop="
        + Math.min(hop, MAX_HOP)
        + ", purge="
        + epoch
        + ":"
        + begun
        + ", scheme="
        + scheme
        + ", key="
        + key;
  }
}
