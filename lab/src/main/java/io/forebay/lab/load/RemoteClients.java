package io.forebay.lab.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The lab's own client on other hosts, started by ssh. Their clocks are compared with this
 * machine's, so that all begin at one moment; the offsets stand in the outcome. A client whose
 * connection breaks ends by itself.
 */
public final class RemoteClients implements LoadGenerator {
  private static final String NAME = "forebay-lab.jar";

  private final ClientGroup group;
  private final List<List<String>> hosts = new ArrayList<>();
  private final @Nullable RemoteJar jar;
  private boolean isThere;

  /**
   * A generator.
   *
   * @param hosts as ssh takes them: {@code user@host}, or a name of its configuration; it must not
   *     ask for a password
   * @param java the program on these hosts, such as {@code java}
   * @param jar path of the lab's jar on these hosts; copied there if this JVM runs from that jar
   * @param threads event loops of each client
   */
  public RemoteClients(List<String> hosts, String java, String jar, int threads) {
    this("ssh", ownJar(), hosts, java, jar, threads);
  }

  RemoteClients(
      String ssh, @Nullable Path ownJar, List<String> hosts, String java, String jar, int threads) {
    this.jar = ownJar == null ? null : new RemoteJar(ownJar, jar);
    List<ClientGroup.Member> members = new ArrayList<>();
    for (String host : hosts) {
      if (host.isEmpty() || host.startsWith("-")) {
        throw new IllegalArgumentException("no host: " + host);
      }
      String remote =
          ClientJvm.remote(java, jar).stream()
              .map(RemoteClients::quoted)
              .collect(Collectors.joining(" "));
      List<String> command = new ArrayList<>(List.of(ssh, "-T", "-o", "BatchMode=yes", host));
      this.hosts.add(List.copyOf(command));
      command.add(remote);
      members.add(new ClientGroup.Member(host, command));
    }
    group = new ClientGroup(members, threads);
  }

  /** The jar that this JVM runs from; null where it runs from classes. */
  private static @Nullable Path ownJar() {
    Path path = Path.of(System.getProperty("java.class.path"));
    return path.endsWith(NAME) && Files.isRegularFile(path) ? path : null;
  }

  /** For the shell of the other host, which gets all words as one text. */
  static String quoted(String word) {
    return word.matches("[A-Za-z0-9_@%+=:,./-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }

  @Override
  public LoadOutcome run(LoadPlan plan, Observer observer)
      throws IOException, InterruptedException {
    if (jar != null && !isThere) {
      for (List<String> host : hosts) {
        jar.put(host);
      }
      isThere = true;
    }
    return group.run(plan, observer);
  }
}
