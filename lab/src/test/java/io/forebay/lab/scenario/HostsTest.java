package io.forebay.lab.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;

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

    assertEquals("10.0.0.1", hosts.address());
    assertEquals(URI.create("http://10.0.0.3:9000"), hosts.origin());
    assertEquals(
        new Hosts.Client("load@client-1", "/opt/jdk/bin/java", "/tmp/lab", 32),
        hosts.clients().getFirst());
    assertEquals("java", hosts.clients().get(1).java());
    assertTrue(Double.isNaN(hosts.clientCores()), "one does not tell");
  }

  @Test
  void withoutClientsAllRunHere() {
    Hosts hosts = Hosts.parse("hosts.yaml", "clients: []\n");

    assertEquals(0, hosts.clients().size());
    assertNull(hosts.address());
    assertNull(hosts.origin());
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
        "hosts.yaml: origin.url: is 'ftp://x'; write http://HOST:PORT",
        assertThrows(
                ScenarioException.class,
                () -> Hosts.parse("hosts.yaml", "origin: {url: \"ftp://x\"}\n"))
            .getMessage());
    assertEquals(
        "hosts.yaml: sut.address: is missing; write the IPv4 address that clients go to",
        assertThrows(
                ScenarioException.class, () -> Hosts.parse("hosts.yaml", "clients: [{ssh: a}]\n"))
            .getMessage());
    for (String wrong : List.of("server-1", "10.0.0", "10.0.0.256", "10.0.0.1.", "::1")) {
      assertEquals(
          "hosts.yaml: sut.address: is '" + wrong + "'; write an IPv4 address of this host",
          assertThrows(
                  ScenarioException.class,
                  () -> Hosts.parse("hosts.yaml", "sut: {address: \"" + wrong + "\"}\n"))
              .getMessage());
    }
    assertEquals(
        "hosts.yaml: client: is no key here; keys are clients, origin, sut",
        assertThrows(
                ScenarioException.class, () -> Hosts.parse("hosts.yaml", "client: [{ssh: a}]\n"))
            .getMessage());
  }
}
