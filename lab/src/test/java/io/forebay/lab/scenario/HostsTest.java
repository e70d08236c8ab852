package io.forebay.lab.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file of other hosts. */
final class HostsTest {

  @Test
  void namesClientsOriginAndHowTheyReachThisHost() {
    Hosts hosts =
        Hosts.parse(
            "hosts.yaml",
            """
            sut: {address: 10.0.0.1}
            origin: {url: "http://10.0.0.3:9000"}
            clients:
              - {ssh: load@client-1, java: /opt/jdk/bin/java, directory: /tmp/lab, cores: 32}
              - {ssh: client-2}
            """);

    assertEquals(InetAddress.ofLiteral("10.0.0.1"), hosts.address());
    assertEquals(URI.create("http://10.0.0.3:9000"), hosts.origin());
    assertEquals(
        new Hosts.Client("load@client-1", "/opt/jdk/bin/java", "/tmp/lab", 32),
        hosts.clients().getFirst());
    assertEquals("java", hosts.clients().get(1).java());
    assertEquals(1, hosts.coresOfEachClient(), "one does not tell");
  }

  @Test
  void withoutClientsAllRunHere() {
    Hosts hosts = Hosts.parse("hosts.yaml", "clients: []\n");

    assertEquals(0, hosts.clients().size());
    assertNull(hosts.address());
    assertNull(hosts.origin());
  }

  @Test
  void theAddressIsOneOfThisHost(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("hosts.yaml");
    Files.writeString(file, "sut: {address: 127.0.0.2}\n");
    assertEquals(InetAddress.ofLiteral("127.0.0.2"), Hosts.read(file).address());

    // Of the documentation's network (RFC 5737).
    Files.writeString(file, "sut: {address: 192.0.2.1}\n");
    assertEquals(
        file + ": sut.address: 192.0.2.1 is no address of this host; 'ip address' lists them",
        assertThrows(ScenarioException.class, () -> Hosts.read(file)).getMessage());
  }

  /** A destination that begins with a hyphen would be an option of ssh. */
  @Test
  void aDestinationThatIsNoneIsRefused() {
    assertEquals(
        "hosts.yaml: clients[0].ssh: is '-oProxyCommand=x'; write a destination such as user@host",
        assertThrows(
                ScenarioException.class,
                () -> Hosts.parse("hosts.yaml", "clients: [{ssh: \"-oProxyCommand=x\"}]\n"))
            .getMessage());
    assertEquals(
        "hosts.yaml: sut.address: is missing; write the address of this host that clients connect"
            + " to",
        assertThrows(
                ScenarioException.class, () -> Hosts.parse("hosts.yaml", "clients: [{ssh: a}]\n"))
            .getMessage());
    for (String wrong :
        List.of("client-1.example", "0.0.0.0", "::", "fe80::1%1", "10.0.0.300", "10.0.0.1.")) {
      assertEquals(
          "hosts.yaml: sut.address: is '" + wrong + "'; write an IP address such as 10.0.0.1",
          assertThrows(
                  ScenarioException.class,
                  () -> Hosts.parse("hosts.yaml", "sut: {address: \"" + wrong + "\"}\n"))
              .getMessage());
    }
    assertEquals(
        "hosts.yaml: origin.url: is 'ftp://x'; write http://HOST:PORT",
        assertThrows(
                ScenarioException.class,
                () -> Hosts.parse("hosts.yaml", "origin: {url: \"ftp://x\"}\n"))
            .getMessage());
    assertEquals(
        "hosts.yaml: client: is no key here; keys are clients, origin, sut",
        assertThrows(
                ScenarioException.class, () -> Hosts.parse("hosts.yaml", "client: [{ssh: a}]\n"))
            .getMessage());
  }
}
