package io.forebay.testing;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The end of systemd of sd_notify(3): a datagram socket, by its path or, after @, its name. */
public final class NotifyReceiver implements AutoCloseable {
  private final String place;
  private final Socket socket;

  private NotifyReceiver(String place, Socket socket) {
    this.place = place;
    this.socket = socket;
  }

  public static NotifyReceiver bind(String place) throws IOException {
    // Loads the library that the sockets need.
    Epoll.ensureAvailability();
    Socket socket = Socket.newSocketDomainDgram();
    socket.bind(new DomainSocketAddress(place.startsWith("@") ? "\0" + place.substring(1) : place));
    return new NotifyReceiver(place, socket);
  }

  /** For {@code NOTIFY_SOCKET}. */
  public String place() {
    return place;
  }

  /** The next message, waited for. */
  public String next() {
    ByteBuffer message = ByteBuffer.allocateDirect(4096);
    int[] length = new int[1];
    Await.until(
        "a message on " + place,
        () -> {
          length[0] = socket.read(message, 0, message.capacity());
          return length[0] > 0;
        });
    byte[] bytes = new byte[length[0]];
    message.get(0, bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
