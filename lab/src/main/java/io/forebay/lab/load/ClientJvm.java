package io.forebay.lab.load;

import java.util.ArrayList;
import java.util.List;

/** How a client's JVM is started. */
final class ClientJvm {
  /** Small, and without checks and collectors that take CPU from the load. */
  private static final List<String> OPTIONS =
      List.of(
          "-Xms64m",
          "-Xmx512m",
          "-XX:+UseSerialGC",
          "-XX:MaxDirectMemorySize=1g",
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow",
          "-Dio.netty.leakDetection.level=disabled",
          "-Dio.netty.buffer.checkBounds=false",
          "-Dio.netty.buffer.checkAccessible=false");

  private static final String MAIN = "io.forebay.lab.command.LabCommand";

  private ClientJvm() {}

  /** The JVM that runs this, with the same classes. */
  static List<String> here() {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + "/bin/java");
    command.addAll(OPTIONS);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), MAIN, "client"));
    return command;
  }

  /** A JVM of another host. */
  static List<String> remote(String java, String jar) {
    List<String> command = new ArrayList<>();
    command.add(java);
    command.addAll(OPTIONS);
    command.addAll(List.of("-jar", jar, "client"));
    return command;
  }
}
