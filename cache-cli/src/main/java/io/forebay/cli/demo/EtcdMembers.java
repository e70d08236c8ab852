package io.forebay.cli.demo;

import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.ScratchDirectory;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Three members of etcd on loopback, as processes of this command; closing ends them. */
final class EtcdMembers implements AutoCloseable {
  private static final int COUNT = 3;
  private static final int START_SECONDS = 30;
  private static final int LOOK_MILLIS = 50;

  private final int[] ports = new int[COUNT];
  private final int[] memberPorts = new int[COUNT];
  private final List<Process> members = new ArrayList<>();

  private EtcdMembers() {}

  /** Starts them with their data in a directory, and returns when all listen. */
  static EtcdMembers start(Path directory) throws IOException, InterruptedException {
    Path program = program();
    EtcdMembers etcd = new EtcdMembers();
    for (int i = 0; i < COUNT; i++) {
      etcd.ports[i] = ScratchDirectory.freePort();
      etcd.memberPorts[i] = ScratchDirectory.freePort();
    }
    try {
      for (int i = 0; i < COUNT; i++) {
        etcd.members.add(etcd.startMember(program, i, directory));
      }
      for (int i = 0; i < COUNT; i++) {
        etcd.awaitListening(i, directory);
      }
      return etcd;
    } catch (IOException | InterruptedException | RuntimeException e) {
      etcd.close();
      throw e;
    }
  }

  /** The program etcd of this machine; refuses with how to install it where there is none. */
  private static Path program() {
    String path = System.getenv().getOrDefault("PATH", "/usr/bin");
    return Stream.concat(
            Arrays.stream(path.split(File.pathSeparator)), Stream.of("/usr/bin", "/usr/local/bin"))
        .filter(folder -> !folder.isEmpty())
        .map(folder -> Path.of(folder, "etcd"))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(() ->
            new CommandException(
                ExitCode.FAILURE,
                "a cluster needs etcd, and there is no program etcd on the PATH: install it"
                    + " (Debian and Ubuntu: apt install etcd-server)"));
  }

  private Process startMember(Path program, int member, Path directory) throws IOException {
    String own = "http://127.0.0.1:" + ports[member];
    String toMembers = "http://127.0.0.1:" + memberPorts[member];
    String all =
        IntStream.range(0, COUNT)
            .mapToObj(i -> "etcd-" + (i + 1) + "=http://127.0.0.1:" + memberPorts[i])
            .collect(Collectors.joining(","));
    return new ProcessBuilder(
            program.toString(),
            "--name=etcd-" + (member + 1),
            "--data-dir=" + directory.resolve("etcd-" + (member + 1)),
            "--listen-client-urls=" + own,
            "--advertise-client-urls=" + own,
            "--listen-peer-urls=" + toMembers,
            "--initial-advertise-peer-urls=" + toMembers,
            "--initial-cluster=" + all)
        .redirectInput(new File("/dev/null"))
        .redirectErrorStream(true)
        .redirectOutput(log(member, directory).toFile())
        .start();
  }

  private static Path log(int member, Path directory) {
    return directory.resolve("etcd-" + (member + 1) + ".log");
  }

  private void awaitListening(int member, Path directory) throws InterruptedException {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (!isListening(ports[member])) {
      if (!members.get(member).isAlive() || System.nanoTime() > until) {
        throw new CommandException(
            ExitCode.FAILURE, "etcd did not start; its log: " + log(member, directory));
      }
      Thread.sleep(LOOK_MILLIS);
    }
  }

  private static boolean isListening(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException closed) {
      return false;
    }
  }

  /** Their URLs for clients, with commas between. */
  String endpoints() {
    return IntStream.of(ports)
        .mapToObj(port -> "http://127.0.0.1:" + port)
        .collect(Collectors.joining(","));
  }

  @Override
  public void close() {
    members.forEach(Process::destroyForcibly);
    for (Process member : members) {
      member.onExit().join();
    }
  }
}
