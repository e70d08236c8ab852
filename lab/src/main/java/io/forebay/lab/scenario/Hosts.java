package io.forebay.lab.scenario;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Other hosts that take part in a run. The server under test runs on the host that the lab is
 * started on.
 *
 * <pre>
 *   sut: {address: 10.0.0.1}                  where servers listen and clients connect to
 *   origin: {url: "http://10.0.0.3:9000"}     started there by: forebay lab origin
 *   clients:
 *     - {ssh: load@client-1, java: /usr/bin/java, directory: /tmp/forebay-lab, cores: 32}
 * </pre>
 *
 * @param address of this host, which servers listen on and clients connect to; null for loopback
 * @param origin that runs already, or null for one on this host
 */
public record Hosts(@Nullable InetAddress address, @Nullable URI origin, List<Client> clients) {
  private static final Pattern DESTINATION = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.@:-]{0,200}");
  private static final int MAX_CORES = 4096;
  private static final int MAX_CLIENTS = 1000;

  public Hosts {
    clients = List.copyOf(clients);
  }

  /**
   * A host with a client.
   *
   * @param ssh destination as for the program ssh
   * @param java command on that host
   * @param directory on that host where the lab's jar is put
   * @param cores that the client may use
   */
  public record Client(String ssh, String java, String directory, int cores) {}

  /**
   * Event loops of each client: the load is divided evenly, so the smallest host is the bound of
   * all.
   */
  public int coresOfEachClient() {
    return clients.stream().mapToInt(Client::cores).min().orElse(1);
  }

  /**
   * Reads a file.
   *
   * @throws ScenarioException where it is wrong
   */
  public static Hosts read(Path file) throws IOException {
    Hosts hosts = parse(file.toString(), Scenarios.text(file));
    if (hosts.address != null && !isOfThisHost(hosts.address)) {
      throw new ScenarioException(
          file
              + ": sut.address: "
              + hosts.address.getHostAddress()
              + " is no address of this host; 'ip address' lists them");
    }
    return hosts;
  }

  private static boolean isOfThisHost(InetAddress address) {
    try (ServerSocket socket = new ServerSocket(0, 1, address)) {
      return socket.isBound();
    } catch (IOException another) {
      return false;
    }
  }

  static Hosts parse(String source, String text) {
    MappingReader keys = new MappingReader(source, "", Scenarios.tree(source, text));
    MappingReader sut = keys.mapping("sut");
    @Nullable InetAddress address = sut.has("address") ? address(sut) : null;
    MappingReader origin = keys.mapping("origin");
    @Nullable URI url = origin.has("url") ? url(origin) : null;
    List<Client> clients = new ArrayList<>();
    for (MappingReader.Entry entry : keys.list("clients")) {
      clients.add(client(entry.keys()));
    }
    if (address == null && !clients.isEmpty()) {
      throw sut.problem(
          "address", "is missing; write the address of this host that clients connect to");
    }
    if (clients.size() > MAX_CLIENTS) {
      throw keys.problem("clients", "are " + clients.size() + "; at most " + MAX_CLIENTS);
    }
    sut.end();
    origin.end();
    keys.end();
    return new Hosts(address, url, clients);
  }

  /** No name: what it stands for on the clients may be another address than here. */
  private static InetAddress address(MappingReader sut) {
    String text = sut.text("address", null);
    try {
      InetAddress address = InetAddress.ofLiteral(text);
      if (!address.isAnyLocalAddress() && text.indexOf('%') < 0) {
        return address;
      }
    } catch (IllegalArgumentException wrong) {
      // as below
    }
    throw sut.problem("address", "is '" + text + "'; write an IP address such as 10.0.0.1");
  }

  private static URI url(MappingReader origin) {
    String text = origin.text("url", null);
    try {
      URI url = URI.create(text);
      if ("http".equals(url.getScheme()) && url.getHost() != null && url.getPort() > 0) {
        return url;
      }
    } catch (IllegalArgumentException wrong) {
      // as below
    }
    throw origin.problem("url", "is '" + text + "'; write http://HOST:PORT");
  }

  private static Client client(MappingReader keys) {
    String ssh = keys.text("ssh", null);
    if (!DESTINATION.matcher(ssh).matches()) {
      throw keys.problem("ssh", "is '" + ssh + "'; write a destination such as user@host");
    }
    Client client =
        new Client(
            ssh,
            keys.text("java", "java"),
            keys.text("directory", "/tmp/forebay-lab"),
            keys.integer("cores", 1, 1, MAX_CORES));
    keys.end();
    return client;
  }
}
