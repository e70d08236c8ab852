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
  private final @Nullable RemoteJar jar;
  private final List<Place> places = new ArrayList<>();
  private boolean isThere;

  /**
   * A host with a client.
   *
   * @param ssh destination as ssh takes it: {@code user@host}, or a name of its configuration; it
   *     must not ask for a password
   * @param java the program there, such as {@code java}
   * @param jar path of the lab's jar there
   */
  public record Host(String ssh, String java, String jar) {
    public Host {
      if (ssh.isEmpty() || ssh.startsWith("-")) {
        throw new IllegalArgumentException("no host: " + ssh);
      }
    }
  }

  /** Where the jar is put. */
  private record Place(List<String> ssh, String jar) {}

  /**
   * A generator.
   *
   * @param hosts that get the lab's jar if this JVM runs from it
   * @param threads event loops of each client
   */
  public RemoteClients(List<Host> hosts, int threads) {
    this("ssh", ownJar(), hosts, threads);
  }

  RemoteClients(String ssh, @Nullable Path ownJar, List<Host> hosts, int threads) {
    jar = ownJar == null ? null : new RemoteJar(ownJar);
    List<ClientGroup.Member> members = new ArrayList<>();
    for (Host host : hosts) {
      List<String> login = List.of(ssh, "-T", "-o", "BatchMode=yes", host.ssh());
      places.add(new Place(login, host.jar()));
      List<String> command = new ArrayList<>(login);
      command.add(
          ClientJvm.remote(host.java(), host.jar()).stream()
              .map(RemoteClients::quoted)
              .collect(Collectors.joining(" ")));
      members.add(new ClientGroup.Member(host.ssh(), command));
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
      for (Place place : places) {
        jar.put(place.ssh(), place.jar());
      }
      isThere = true;
    }
    return group.run(plan, observer);
  }
}
