package io.forebay.lab.load;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The lab's own client on other hosts, started by ssh. Their clocks are compared with this
 * machine's, so that all begin at one moment; the offsets stand in the outcome. A client whose
 * connection breaks ends by itself.
 */
public final class RemoteClients implements LoadGenerator {
  private final ClientGroup group;

  /**
   * A generator.
   *
   * @param hosts as ssh takes them: {@code user@host}, or a name of its configuration; it must not
   *     ask for a password
   * @param java the program on these hosts, such as {@code java}
   * @param jar path of the lab's jar on these hosts
   * @param threads event loops of each client
   */
  public RemoteClients(List<String> hosts, String java, String jar, int threads) {
    this("ssh", hosts, java, jar, threads);
  }

  RemoteClients(String ssh, List<String> hosts, String java, String jar, int threads) {
    List<ClientGroup.Member> members = new ArrayList<>();
    for (String host : hosts) {
      if (host.isEmpty() || host.startsWith("-")) {
        throw new IllegalArgumentException("no host: " + host);
      }
      String remote =
          ClientJvm.remote(java, jar).stream()
              .map(RemoteClients::quoted)
              .collect(Collectors.joining(" "));
      members.add(
          new ClientGroup.Member(host, List.of(ssh, "-T", "-o", "BatchMode=yes", host, remote)));
    }
    group = new ClientGroup(members, threads);
  }

  /** For the shell of the other host, which gets all words as one text. */
  private static String quoted(String word) {
    return word.matches("[A-Za-z0-9_@%+=:,./-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }

  @Override
  public LoadOutcome run(LoadPlan plan) throws IOException, InterruptedException {
    return run(plan, Observer.NONE);
  }

  @Override
  public LoadOutcome run(LoadPlan plan, Observer observer)
      throws IOException, InterruptedException {
    return group.run(plan, observer);
  }
}
