package io.forebay.server.protect;

import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.FieldsView;
import io.forebay.server.fairness.ClientNetwork;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.network.IpAddress;
import io.forebay.server.network.IpAddressReader;
import io.forebay.server.network.NetworkSet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The address of the client that a request comes from, by which it is judged.
 *
 * <ul>
 *   <li>From a peer that is not trusted it is the peer's, whatever the request says.
 *   <li>From a trusted peer it is the last address of X-Forwarded-For, or else of Forwarded, that
 *       is not trusted itself; the first where all are; the peer's where neither field is there.
 *   <li>It is unknown where a trusted peer names what is no address, and for a Unix-domain socket
 *       without such a field.
 * </ul>
 *
 * Reusable, one per loop. Allocates nothing, except where a trusted peer sends Forwarded alone.
 */
final class ClientAddress implements BiConsumer<CharSequence, CharSequence> {
  private static final String X_FORWARDED_FOR = "x-forwarded-for";

  private final IpAddressReader reader = new IpAddressReader();
  private NetworkSet trusted = NetworkSet.EMPTY;
  private boolean isPathSeen;
  private long hi;
  private long lo;

  void resolve(ClientInfo client, FieldsView fields, NetworkSet trustedRelays) {
    IpAddress peer = client.ip();
    hi = peer.hi();
    lo = peer.lo();
    if (!trustedRelays.contains(peer)) {
      return;
    }
    trusted = trustedRelays;
    isPathSeen = false;
    fields.forEach(this);
    if (!isPathSeen && fields.first("forwarded") != null) {
      is(
          ClientNetwork.address(
              client.address(), fields, address -> trustedRelays.contains(IpAddress.of(address))));
    }
  }

  private void is(@Nullable String address) {
    IpAddress read = address == null ? IpAddress.UNKNOWN : IpAddress.of(address);
    hi = read.hi();
    lo = read.lo();
  }

  /** Goes on from left to right through the lines of X-Forwarded-For. */
  @Override
  public void accept(CharSequence name, CharSequence value) {
    if (name.length() != X_FORWARDED_FOR.length()
        || !FieldSyntax.equalsIgnoreCase(name, X_FORWARDED_FOR)) {
      return;
    }
    int from = 0;
    for (int i = 0; i <= value.length(); i++) {
      if (i == value.length() || value.charAt(i) == ',') {
        element(value, from, i);
        from = i + 1;
      }
    }
  }

  private void element(CharSequence value, int start, int end) {
    int from = start;
    int to = end;
    while (from < to && isBlank(value.charAt(from))) {
      from++;
    }
    while (to > from && isBlank(value.charAt(to - 1))) {
      to--;
    }
    boolean isAddress = readNode(value, from, to);
    if (!isAddress) {
      hi = IpAddress.UNKNOWN.hi();
      lo = IpAddress.UNKNOWN.lo();
    } else if (!isPathSeen || !trusted.contains(reader.hi(), reader.lo())) {
      hi = reader.hi();
      lo = reader.lo();
    }
    isPathSeen = true;
  }

  /** An address, also in brackets and with a port behind it. */
  private boolean readNode(CharSequence value, int from, int to) {
    int colons = 0;
    int firstColon = to;
    int bracket = -1;
    for (int i = from; i < to; i++) {
      if (value.charAt(i) == ':') {
        colons++;
        firstColon = colons == 1 ? i : firstColon;
      } else if (value.charAt(i) == ']' && bracket < 0) {
        bracket = i;
      }
    }
    if (from < to && value.charAt(from) == '[') {
      return bracket > 0 && reader.read(value, from + 1, bracket);
    }
    return reader.read(value, from, colons == 1 ? firstColon : to);
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t';
  }

  boolean isKnown() {
    return hi != IpAddress.UNKNOWN.hi() || lo != IpAddress.UNKNOWN.lo();
  }

  long hi() {
    return hi;
  }

  long lo() {
    return lo;
  }
}
