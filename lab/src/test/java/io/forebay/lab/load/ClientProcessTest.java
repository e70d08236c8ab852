package io.forebay.lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.lab.body.Body;
import io.forebay.lab.load.LoadPlan.ObjectClass;
import io.forebay.lab.result.LoadTotals;
import io.forebay.testing.Await;
import io.forebay.testing.PathOrigin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients as processes. */
@Tag("slow")
class ClientProcessTest {
  @TempDir Path directory;
  private PathOrigin origin;

  @BeforeEach
  void start() throws IOException {
    origin = PathOrigin.start();
    origin.otherwise(exchange -> exchange.respond(200, "", "hello"));
  }

  @AfterEach
  void close() throws IOException {
    origin.close();
  }

  @Test
  @Tag("full")
  void severalProcessesShareTheLoad() throws Exception {
    LoadOutcome outcome =
        new ClientProcess(2, 1).run(Plans.to(origin.url()).connections(5).rate(1.5, 100).plan());

    assertWhole(outcome, List.of("1", "2"));
    assertEquals(5, origin.connections());
  }

  /** Five connections are three and two: loops by connections would be of different numbers. */
  @Test
  @Tag("full")
  void freshNamesOfSeveralProcessesAreDifferent() throws Exception {
    new ClientProcess(2, 3).run(Plans.to(origin.url()).connections(5).fresh(1).rate(1, 100).plan());

    List<String> paths = origin.requests().stream().map(request -> request.path()).toList();
    assertEquals(100, paths.size());
    assertEquals(100, Set.copyOf(paths).size(), paths::toString);
  }

  private void assertWhole(LoadOutcome outcome, List<String> clients) {
    LoadTotals totals = outcome.totals();
    assertEquals(Map.of(), totals.errors());
    assertEquals(150, totals.lastByte().count());
    assertEquals(150, origin.requests().size());
    assertEquals(5, totals.connections());
    assertEquals(2, outcome.seconds().size());
    assertEquals(clients, outcome.clocks().stream().map(LoadOutcome.ClientClock::client).toList());
    for (LoadOutcome.ClientClock clock : outcome.clocks()) {
      // The clock of this machine against itself.
      assertTrue(
          Math.abs(clock.offsetMillis()) <= clock.errorMillis() + 0.01,
          outcome.clocks().toString());
    }
  }

  @Tag("full")
  @Test
  void aSingleOneAsksForNoClock() throws Exception {
    LoadOutcome outcome =
        new ClientProcess(1, 2).run(Plans.to(origin.url()).connections(5).rate(1.5, 100).plan());

    assertWhole(outcome, List.of());
  }

  @Test
  @Tag("full")
  void clientsOnOtherHostsAreStartedBySsh() throws Exception {
    Path hosts = directory.resolve("hosts");
    Path ssh =
        script(
            "ssh",
            """
            #!/bin/sh
            test "$1 $2 $3" = "-T -o BatchMode=yes" || exit 9
            host=$4
            shift 4
            echo "$host ${1%%%% *}" >> '%s'
            exec sh -c "$*"
            """
                .formatted(hosts));
    // The jar is not built when tests run: the classes stand for it.
    Path java =
        script(
            "java",
            """
            #!/bin/sh
            for word; do
              shift
              case $word in
                -jar) ;;
                '%1$s/the lab/forebay-lab.jar') test -s "$word" || exit 8
                  set -- "$@" -cp '%2$s' io.forebay.lab.command.LabCommand ;;
                *) set -- "$@" "$word" ;;
              esac
            done
            exec '%3$s/bin/java' "$@"
            """
                .formatted(
                    directory,
                    System.getProperty("java.class.path"),
                    System.getProperty("java.home")));
    Path jar = Files.writeString(directory.resolve("own.jar"), "a jar");
    String remote = directory + "/the lab/forebay-lab.jar";
    RemoteClients clients =
        new RemoteClients(
            ssh.toString(),
            jar,
            List.of(
                new RemoteClients.Host("one", java.toString(), remote),
                new RemoteClients.Host("me@two", java.toString(), remote)),
            1);
    LoadOutcome outcome = clients.run(Plans.to(origin.url()).connections(5).rate(1.5, 100).plan());

    assertWhole(outcome, List.of("one", "me@two"));
    assertEquals("a jar", Files.readString(Path.of(remote)));
    // Both hosts are this one: the second has the jar already.
    assertEquals(
        List.of("me@two " + java, "me@two sha256sum", "one " + java, "one mkdir", "one sha256sum"),
        Files.readAllLines(hosts).stream().sorted().toList());
    assertThrows(
        IllegalArgumentException.class,
        () -> new RemoteClients.Host("-oProxyCommand=x", "java", "x.jar"));
  }

  @Test
  void aHostThatCannotBeReachedIsNamed() throws Exception {
    Path ssh = script("ssh", "#!/bin/sh\necho \"ssh: $4: no route to host\" >&2\nexit 255\n");
    Path jar = Files.writeString(directory.resolve("own.jar"), "a jar");
    for (Path own : new Path[] {jar, null}) {
      RemoteClients clients =
          new RemoteClients(
              ssh.toString(),
              own,
              List.of(
                  new RemoteClients.Host("one", "java", "/x/y.jar"),
                  new RemoteClients.Host("two", "java", "/x/y.jar")),
              1);
      IOException failure =
          assertThrows(
              IOException.class, () -> clients.run(Plans.to(origin.url()).connections(2).plan()));

      assertTrue(
          String.valueOf(failure.getMessage()).contains("one: no route to host"),
          failure.getMessage());
    }
  }

  private Path script(String name, String text) throws IOException {
    Path script = Files.writeString(directory.resolve(name), text);
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    return script;
  }

  @Test
  @Tag("full")
  void bytesAreComparedWithThoseOfTheOriginOfTheSameSeed() throws Exception {
    for (long seed : new long[] {Plans.SEED, Plans.SEED + 1}) {
      origin.otherwise(exchange -> {
        Body body = Body.of(seed, exchange.request().path());
        byte[] bytes = new byte[20_000];
        for (int i = 0; i < bytes.length; i++) {
          bytes[i] = body.at(i);
        }
        exchange.respond(200, "", bytes);
      });
      LoadTotals totals =
          new ClientProcess(1, 1)
              .run(
                  Plans.to(origin.url())
                      .verify()
                      .objects(new ObjectClass("x", 20_000, 1, 100, "/o/{bytes}/{n}"))
                      .plan())
              .totals();

      assertEquals(seed == Plans.SEED ? Map.of() : Map.of("body", 10L), totals.errors());
    }
  }

  @Test
  void aClientThatCannotRunThePlanSaysWhy() {
    IOException failure =
        assertThrows(
            IOException.class,
            () -> new ClientProcess(1, 1).run(Plans.to("http://no-such-host.invalid:80").plan()));

    assertTrue(
        String.valueOf(failure.getMessage()).contains("no-such-host.invalid"),
        failure.getMessage());
  }

  @Test
  @Tag("full")
  void anInterruptLeavesNothingRunning() throws Exception {
    CompletableFuture<Throwable> ended = new CompletableFuture<>();
    Thread runner =
        Thread.ofPlatform()
            .start(() -> {
              try {
                new ClientProcess(2, 1)
                    .run(Plans.to(origin.url()).connections(2).rate(600, 20).plan());
              } catch (IOException | InterruptedException e) {
                ended.complete(e);
              }
            });
    Await.until("requests", () -> !origin.requests().isEmpty());
    List<ProcessHandle> clients = ProcessHandle.current().children().toList();
    runner.interrupt();

    assertInstanceOf(InterruptedException.class, ended.get());
    Await.until("no client", () -> clients.stream().noneMatch(ProcessHandle::isAlive));
  }
}
