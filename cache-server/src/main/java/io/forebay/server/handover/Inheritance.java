package io.forebay.server.handover;

import io.forebay.server.listen.InheritedSockets.Entry;
import io.forebay.server.listen.Listeners;
import java.util.List;

/**
 * What a process leaves to the one that takes its place.
 *
 * @param sockets listening sockets, as this process numbers them
 * @param ticketKeys keys of TLS session tickets, the first of which encrypts; empty for none
 * @param ticketKeysMadeAtMillis when the first of them was made
 * @param tokenKey key of the tokens that QUIC clients bring back
 */
@SuppressWarnings("ArrayRecordComponent") // used once
public record Inheritance(
    List<Entry> sockets, List<byte[]> ticketKeys, long ticketKeysMadeAtMillis, byte[] tokenKey) {

  /** Open sockets alone, with keys of this process. */
  public static Inheritance ofSockets(List<Entry> sockets) {
    return new Inheritance(sockets, List.of(), 0, Listeners.newTokenKey());
  }

  /** Of a process that begins with nothing. */
  public static Inheritance none() {
    return ofSockets(List.of());
  }
}
