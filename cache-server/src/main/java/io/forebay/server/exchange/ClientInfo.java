package io.forebay.server.exchange;

/**
 * The connection an exchange came by.
 *
 * @param address the peer's IP address, without port
 * @param port the peer's port
 * @param protocol as logged: {@code HTTP/1.0}, {@code HTTP/1.1}, {@code HTTP/2}, {@code HTTP/3}
 * @param listener name of the listener, a metric label
 */
public record ClientInfo(String address, int port, String protocol, String listener) {}
