package io.forebay.server.config;

import io.netty.handler.ipfilter.IpFilterRuleType;
import io.netty.handler.ipfilter.IpSubnetFilterRule;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;

/** A set of networks whose members are trusted, for example to name the client of a request. */
public final class TrustedNetworks {

  private final List<IpSubnetFilterRule> rules;

  private TrustedNetworks(List<IpSubnetFilterRule> rules) {
    this.rules = rules;
  }

  /**
   * Reads networks such as {@code 10.0.0.0/8} or {@code ::1/128}.
   *
   * @throws IllegalArgumentException when one is not in CIDR form
   */
  public static TrustedNetworks of(List<String> cidrs) {
    return new TrustedNetworks(
        cidrs.stream().map(cidr -> new IpSubnetFilterRule(cidr, IpFilterRuleType.ACCEPT)).toList());
  }

  public boolean contains(String address) {
    if (rules.isEmpty()) {
      return false;
    }
    byte[] bytes = NetUtil.createByteArrayFromIpAddressString(address);
    if (bytes == null) {
      return false;
    }
    try {
      InetSocketAddress peer = new InetSocketAddress(InetAddress.getByAddress(bytes), 0);
      return rules.stream().anyMatch(rule -> rule.matches(peer));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("an address of " + bytes.length + " bytes", e);
    }
  }
}
