package io.forebay.server.listen;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** What neither the JDK nor Netty does with descriptors: fcntl(2). */
public final class Descriptors {
  private static final int F_SETFD = 2;
  private static final int F_GETFL = 3;
  private static final int F_SETFL = 4;
  private static final int O_NONBLOCK = 2048;
  private static final int FD_CLOEXEC = 1;
  private static final int F_DUPFD_CLOEXEC = 1030;

  /** Standard input, output and error stay what they are. */
  private static final int LEAST = 3;

  private static final MethodHandle FCNTL = fcntl();

  private Descriptors() {}

  @SuppressWarnings("restricted") // fcntl(2): int fcntl(int fd, int cmd, ...)
  private static MethodHandle fcntl() {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow("fcntl"),
        FunctionDescriptor.of(
            ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT),
        Linker.Option.firstVariadicArg(2));
  }

  /** The same socket under another number. */
  static int duplicate(int descriptor) throws IOException {
    return call(descriptor, F_DUPFD_CLOEXEC, LEAST);
  }

  /** No program that this process starts gets it. */
  public static void closeOnExec(int descriptor) throws IOException {
    int ignored = call(descriptor, F_SETFD, FD_CLOEXEC);
  }

  /** Calls return at once: a loop must not wait in accept(2). */
  public static void doNotBlock(int descriptor) throws IOException {
    int flags = call(descriptor, F_GETFL, 0);
    int ignored = call(descriptor, F_SETFL, flags | O_NONBLOCK);
  }

  private static int call(int descriptor, int command, int argument) throws IOException {
    int result;
    try {
      result = (int) FCNTL.invokeExact(descriptor, command, argument);
    } catch (Throwable e) {
      throw new IllegalStateException("fcntl takes three numbers", e);
    }
    if (result < 0) {
      throw new IOException("fcntl " + command + " of descriptor " + descriptor + " failed");
    }
    return result;
  }
}
