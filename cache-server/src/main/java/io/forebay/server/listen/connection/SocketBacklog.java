package io.forebay.server.listen.connection;

import io.netty.channel.Channel;
import io.netty.channel.unix.UnixChannel;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * How many bytes a socket has accepted that its peer has not acknowledged: {@code ioctl(fd,
 * SIOCOUTQ)}. A slow client empties the kernel's buffer for minutes before the socket takes another
 * byte from us; only this tells it from one that does not read at all. Asked only of a connection
 * that seems stuck, so its cost does not matter. Confined to a loop.
 */
final class SocketBacklog {

  static final int UNKNOWN = -1;

  private static final long SIOCOUTQ = 0x5411;
  private static final @Nullable MethodHandle IOCTL = ioctl();

  private final int[] answer = new int[1];

  @SuppressWarnings("restricted")
  private static @Nullable MethodHandle ioctl() {
    try {
      Linker linker = Linker.nativeLinker();
      return linker
          .defaultLookup()
          .find("ioctl")
          .map(address ->
              linker.downcallHandle(
                  address,
                  FunctionDescriptor.of(
                      ValueLayout.JAVA_INT,
                      ValueLayout.JAVA_INT,
                      ValueLayout.JAVA_LONG,
                      ValueLayout.ADDRESS),
                  Linker.Option.firstVariadicArg(2),
                  Linker.Option.critical(true)))
          .orElse(null);
    } catch (IllegalCallerException | UnsupportedOperationException e) {
      // No native access, or a platform without a linker: connections are judged without it.
      return null;
    }
  }

  /** Bytes on their way to the peer, or {@link #UNKNOWN}. */
  int lengthBytes(Channel channel) {
    MethodHandle ioctl = IOCTL;
    if (ioctl == null || !(channel instanceof UnixChannel socket) || !channel.isOpen()) {
      return UNKNOWN;
    }
    try {
      int result =
          (int) ioctl.invokeExact(socket.fd().intValue(), SIOCOUTQ, MemorySegment.ofArray(answer));
      return result == 0 ? answer[0] : UNKNOWN;
    } catch (Throwable e) {
      throw new IllegalStateException("ioctl(SIOCOUTQ)", e);
    }
  }
}
