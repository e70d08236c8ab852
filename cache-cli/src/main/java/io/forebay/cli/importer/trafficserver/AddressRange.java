package io.forebay.cli.importer.trafficserver;

import io.forebay.cli.importer.model.UntranslatableException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Ranges of addresses as networks. */
final class AddressRange {
  private static final int MAX_NETWORKS = 256;

  private AddressRange() {}

  /** The networks of {@code A}, {@code A-B} or {@code A/BITS}. */
  static List<String> networks(String text) throws UntranslatableException {
    if (text.toLowerCase(Locale.ROOT).equals("all")) {
      return List.of("0.0.0.0/0", "::/0");
    }
    int dash = text.indexOf('-');
    if (dash < 0) {
      int slash = text.indexOf('/');
      byte[] address = address(slash < 0 ? text : text.substring(0, slash));
      String bits = slash < 0 ? "0" : text.substring(slash + 1);
      if (!bits.matches("\\d{1,3}") || Integer.parseInt(bits) > address.length * 8) {
        throw new UntranslatableException(text + " is no network");
      }
      return List.of(text);
    }
    byte[] low = address(text.substring(0, dash));
    byte[] high = address(text.substring(dash + 1));
    if (low.length != high.length) {
      throw new UntranslatableException(text + ": addresses of two families");
    }
    return networks(new BigInteger(1, low), new BigInteger(1, high), low.length);
  }

  private static List<String> networks(BigInteger first, BigInteger last, int length)
      throws UntranslatableException {
    List<String> networks = new ArrayList<>();
    BigInteger at = first;
    while (at.compareTo(last) <= 0) {
      int free = at.signum() == 0 ? length * 8 : Math.min(at.getLowestSetBit(), length * 8);
      while (at.add(BigInteger.ONE.shiftLeft(free)).subtract(BigInteger.ONE).compareTo(last) > 0) {
        free--;
      }
      networks.add(text(at, length) + "/" + (length * 8 - free));
      at = at.add(BigInteger.ONE.shiftLeft(free));
      if (networks.size() > MAX_NETWORKS) {
        throw new UntranslatableException("a range of more than " + MAX_NETWORKS + " networks");
      }
    }
    if (networks.isEmpty()) {
      throw new UntranslatableException("a range that ends before it begins");
    }
    return networks;
  }

  private static String text(BigInteger address, int length) throws UntranslatableException {
    byte[] bytes = new byte[length];
    byte[] digits = address.toByteArray();
    for (int i = 0; i < Math.min(length, digits.length); i++) {
      bytes[length - 1 - i] = digits[digits.length - 1 - i];
    }
    try {
      return InetAddress.getByAddress(bytes).getHostAddress();
    } catch (UnknownHostException e) {
      throw new UntranslatableException("no address");
    }
  }

  private static byte[] address(String text) throws UntranslatableException {
    // Digits, dots and colons only: no name is ever resolved.
    if (!text.matches("\\d{1,3}(\\.\\d{1,3}){3}|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*")) {
      throw new UntranslatableException(text + " is no address");
    }
    try {
      return InetAddress.ofLiteral(text).getAddress();
    } catch (IllegalArgumentException e) {
      throw new UntranslatableException(text + " is no address");
    }
  }
}
