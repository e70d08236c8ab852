package io.forebay.server.origin.dns;

import java.net.InetAddress;

/**
 * One address of one target of an SRV name (RFC 2782).
 *
 * @param target the host that the record names
 * @param priority lower ones are used first
 * @param weight share among those of the same priority, 0 to 65535
 */
public record ServiceAddress(
    String target, InetAddress address, int port, int priority, int weight) {}
