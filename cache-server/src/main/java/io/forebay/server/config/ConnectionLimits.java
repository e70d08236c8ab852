package io.forebay.server.config;

/**
 * How many client connections may be open at once for each key besides the address; 0 means no
 * limit.
 *
 * @param perNetwork for each network of clients
 * @param ipv4Prefix bits of an IPv4 address that are its network
 * @param ipv6Prefix bits of an IPv6 address that are its network; at most 64
 * @param perServerName for each name that clients ask for in their handshakes
 * @param perCertificate for each certificate that clients show
 */
public record ConnectionLimits(
    int perNetwork, int ipv4Prefix, int ipv6Prefix, int perServerName, int perCertificate) {

  public static final ConnectionLimits NONE = new ConnectionLimits(0, 24, 56, 0, 0);
}
