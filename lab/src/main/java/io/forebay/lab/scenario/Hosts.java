package io.forebay.lab.scenario;

import java.io.IOException;
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
 *   sut: {address: 10.0.0.1}                  of this host, where clients go
 *   origin: {url: "http://10.0.0.3:9000"}     started there by: forebay lab origin
 *   clients:
 *     - {ssh: load@client-1, java: /usr/bin/java, directory: /tmp/forebay-lab, cores: 32}
 * </pre>
 *
 * @param address IPv4 address of this host, or null where no clients are elsewhere
 * @param origin that runs already, or null for one on this host
 */
public record Hosts(@Nullable String address, @Nullable URI origin, List<Client> clients) {
  private static final Pattern DESTINATION = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.@:-]{0,200}");
  private static final Pattern ADDRESS =
      Pattern.compile("((25[0-5]|2[0-4]\\d|1?\\d?\\d)(\\.(?!$)|$)){4}");
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
   * @param cores that the client can use; NaN where the file does not tell
   */
  public record Client(String ssh, String java, String directory, double cores) {}

  /** Cores of all clients; NaN where one is not known. */
  public double clientCores() {
    return clients.stream().mapToDouble(Client::cores).sum();
  }

  /**
   * Reads a file.
   *
   * @throws ScenarioException where it is wrong
   */
  public static Hosts read(Path file) throws IOException {
    return parse(file.toString(), Scenarios.text(file));
  }

  static Hosts parse(String source, String text) {
    MappingReader keys = new MappingReader(source, "", Scenarios.tree(source, text));
    MappingReader sut = keys.mapping("sut");
    String address = sut.has("address") ? sut.text("address", null) : null;
    if (address != null && !ADDRESS.matcher(address).matches()) {
      throw sut.problem("address", "is '" + address + "'; write an IPv4 address of this host");
    }
    MappingReader origin = keys.mapping("origin");
    @Nullable URI url = origin.has("url") ? url(origin) : null;
    List<Client> clients = new ArrayList<>();
    for (MappingReader.Entry entry : keys.list("clients")) {
      clients.add(client(entry.keys()));
    }
    if (address == null && !clients.isEmpty()) {
      throw sut.problem("address", "is missing; write the IPv4 address that clients go to");
    }
    if (clients.size() > MAX_CLIENTS) {
      throw keys.problem("clients", "are " + clients.size() + "; at most " + MAX_CLIENTS);
    }
    sut.end();
    origin.end();
    keys.end();
    return new Hosts(address, url, clients);
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
            keys.number("cores", Double.NaN, 0.1, 4096));
    keys.end();
    return client;
  }
}
