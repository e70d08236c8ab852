package io.forebay.server.handover;

import io.forebay.server.listen.Descriptors;
import io.forebay.server.listen.InheritedSockets.Entry;
import io.forebay.server.listen.InheritedSockets.Kind;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The listening sockets that a service manager opened, as sd_listen_fds(3) has them: descriptors
 * from 3 on, for the process whose number {@code LISTEN_PID} is.
 */
public final class SocketActivation {
  private static final int FIRST = 3;
  private static final int MAX_SOCKETS = 1024;
  private static final int SOL_SOCKET = 1;
  private static final int SO_TYPE = 3;
  private static final int SO_DOMAIN = 39;
  private static final int SOCK_DGRAM = 2;
  private static final int AF_UNIX = 1;

  private SocketActivation() {}

  /**
   * The sockets for this process; none without the variables.
   *
   * @throws IOException when a descriptor is no socket, or the variables are malformed
   */
  public static List<Entry> sockets(Map<String, String> environment) throws IOException {
    return sockets(environment, FIRST);
  }

  static List<Entry> sockets(Map<String, String> environment, int first) throws IOException {
    String pid = environment.get("LISTEN_PID");
    String count = environment.get("LISTEN_FDS");
    if (pid == null || count == null || !pid.equals(Long.toString(ProcessHandle.current().pid()))) {
      return List.of();
    }
    if (!count.matches("[0-9]{1,4}") || Integer.parseInt(count) > MAX_SOCKETS) {
      throw new IOException("LISTEN_FDS=" + count + " is no number of sockets");
    }
    if (!Epoll.isAvailable()) {
      throw new IOException("LISTEN_FDS: sockets that are open already require epoll");
    }
    String[] names = environment.getOrDefault("LISTEN_FDNAMES", "").split(":", -1);
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < Integer.parseInt(count); i++) {
      int descriptor = first + i;
      String name = i < names.length ? names[i] : "";
      Descriptors.closeOnExec(descriptor);
      Descriptors.doNotBlock(descriptor);
      entries.add(new Entry(name, kind(descriptor), null, descriptor));
    }
    return entries;
  }

  private static Kind kind(int descriptor) throws IOException {
    Socket socket = new Socket(descriptor);
    if (socket.getIntOpt(SOL_SOCKET, SO_DOMAIN) == AF_UNIX) {
      return Kind.UNIX;
    }
    return socket.getIntOpt(SOL_SOCKET, SO_TYPE) == SOCK_DGRAM ? Kind.UDP : Kind.TCP;
  }
}
