package io.forebay.lab.run;

import io.forebay.lab.host.HostFacts;
import io.forebay.lab.host.HostMeter;
import io.forebay.lab.host.HostRecord;
import io.forebay.lab.host.PowerMeter;
import io.forebay.lab.load.LoadGenerator;
import io.forebay.lab.load.LoadGenerators;
import io.forebay.lab.load.RemoteClients;
import io.forebay.lab.origin.OriginOptions;
import io.forebay.lab.origin.OriginProcess;
import io.forebay.lab.scenario.Hosts;
import io.forebay.lab.target.TargetSpec;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.URI;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The instruments of a run on this machine. */
final class RealInstruments {

  private RealInstruments() {}

  /**
   * Instruments.
   *
   * @param directory below which servers have their files
   * @param hosts others that take part, or null
   * @param isNamespace whether this process has a network namespace of its own
   */
  static Instruments create(
      Path directory, PowerMeter power, @Nullable Hosts hosts, boolean isNamespace)
      throws IOException, InterruptedException {
    Instruments.Clients clients = clients(hosts);
    HostMeter meter = HostMeter.of(wire(clients), List.of(), power);
    PacketNetwork network = isNamespace ? PacketNetwork.ofNamespace() : PacketNetwork.PLAIN;
    Machine machine = Machine.here(directory);
    return new Instruments(
        new SharedOrigin(options -> startOrigin(options, hosts)),
        new SharedCertificates(directory, clients.server()),
        new HttpWarmer(),
        loads(machine, hosts),
        network,
        clients,
        (server, origin, client) -> new MeterRecording(meter.start(server, origin, client)),
        machine,
        () -> facts(directory, power, network),
        InstantSource.system(),
        directory);
  }

  private static Instruments.Clients clients(@Nullable Hosts hosts) {
    InetAddress server =
        hosts == null || hosts.address() == null ? TargetSpec.LOOPBACK : hosts.address();
    return hosts == null || hosts.clients().isEmpty()
        ? Instruments.Clients.here(server)
        : new Instruments.Clients(
            false, hosts.coresOfEachClient() * hosts.clients().size(), server);
  }

  /** What this machine sends to itself goes over {@code lo}, whatever the address is. */
  private static String wire(Instruments.Clients clients) throws IOException {
    NetworkInterface card =
        clients.isHere() ? null : NetworkInterface.getByInetAddress(clients.server());
    return card == null ? "lo" : card.getName();
  }

  private static Map<String, Object> facts(
      Path directory, PowerMeter power, PacketNetwork network) {
    Map<String, Object> facts = new HashMap<>(HostFacts.read(directory, null));
    facts.put("power", power.source());
    facts.put(
        "packetDelay", network.isAvailable() ? "netem" : "none; the origin answers later instead");
    return facts;
  }

  /** wrk and h2load run here; the lab's own client where the file of hosts says. */
  private static Instruments.Loads loads(Machine machine, @Nullable Hosts hosts) {
    // Half of the cores are for the server.
    int threads = Math.max(1, machine.cores() / 2);
    return name -> {
      LoadGenerators kind = LoadGenerators.named(name);
      if (kind.missing().isPresent()) {
        throw new UnsupportedOperationException(kind.missing().get());
      }
      if (hosts == null || hosts.clients().isEmpty()) {
        return kind.generator(threads);
      }
      if (kind != LoadGenerators.OWN) {
        throw new UnsupportedOperationException(
            name + " runs on this host only; with clients on other hosts write client: own");
      }
      return remote(hosts);
    };
  }

  private static LoadGenerator remote(Hosts hosts) {
    return new RemoteClients(
        hosts.clients().stream()
            .map(client ->
                new RemoteClients.Host(
                    client.ssh(), client.java(), client.directory() + "/forebay-lab.jar"))
            .toList(),
        hosts.coresOfEachClient());
  }

  private static OriginStarter.Running startOrigin(OriginOptions options, @Nullable Hosts hosts)
      throws IOException {
    if (hosts != null && hosts.origin() != null) {
      return elsewhere(hosts.origin());
    }
    OriginProcess process = OriginProcess.start(options);
    return new OriginStarter.Running() {
      @Override
      public URI address() {
        return process.address();
      }

      @Override
      public long requests() throws IOException {
        return process.stats().requests();
      }

      @Override
      public List<ProcessHandle> processes() {
        return List.of(process.process());
      }

      @Override
      public void close() {
        process.close();
      }
    };
  }

  /** An origin that somebody has started; it is not judged, since its CPU is not known. */
  private static OriginStarter.Running elsewhere(URI address) {
    return new OriginStarter.Running() {
      @Override
      public URI address() {
        return address;
      }

      @Override
      public long requests() {
        return -1;
      }

      @Override
      public List<ProcessHandle> processes() {
        return List.of();
      }

      @Override
      public void close() {}
    };
  }

  private record MeterRecording(io.forebay.lab.host.Recording recording)
      implements Meter.Recording {

    @Override
    public void mark() {
      recording.mark();
    }

    @Override
    public HostRecord stop() {
      return recording.stop();
    }

    @Override
    public void close() {
      recording.stop();
    }
  }
}
