package io.forebay.server.origin.dns;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** DNS lookups at a name server of the test on a loopback socket. */
@Timeout(60)
class DnsLookupTest {
  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final EventLoop thread = group.next();

  @TempDir Path directory = Path.of("");
  private Path hosts = Path.of("");
  private Path servers = Path.of("");

  @BeforeEach
  void files() throws IOException {
    hosts = Files.writeString(directory.resolve("hosts"), "192.0.2.50 Listed.test alias\n");
    servers = Files.writeString(directory.resolve("resolv.conf"), "nameserver 127.0.0.1\n");
  }

  @AfterEach
  void stop() throws InterruptedException {
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).await();
  }

  @Test
  void readsTheHostsFileFirst() throws Exception {
    try (NameServer server = new NameServer()) {
      DnsLookup lookup = lookup(server);
      assertEquals(List.of(address("192.0.2.50")), ask(lookup, "listed.test").addresses());
      assertEquals(List.of(address("192.0.2.50")), ask(lookup, "ALIAS").addresses());
      assertEquals(0, server.questions.get());
    }
  }

  @Test
  void readsTheHostsFileAgainWhenItChanges() throws Exception {
    try (NameServer server = new NameServer()) {
      DnsLookup lookup = lookup(server);
      NameLookup.Answer before = ask(lookup, "new.test");
      assertEquals(List.of(), before.addresses());
      assertNotNull(before.failure());
      Files.writeString(hosts, "192.0.2.51 new.test\n");
      Files.setLastModifiedTime(hosts, FileTime.fromMillis(1_000_000));
      assertEquals(List.of(address("192.0.2.51")), ask(lookup, "new.test").addresses());
    }
  }

  @Test
  void asksTheNameServerAndNotesTheShortestTtl() throws Exception {
    try (NameServer server = new NameServer()) {
      server.answers.put(
          "far.test", List.of(new Answer("192.0.2.1", 300), new Answer("192.0.2.2", 42)));
      NameLookup.Answer answer = ask(lookup(server), "far.test");
      assertNull(answer.failure());
      assertEquals(
          List.of(address("192.0.2.1"), address("192.0.2.2")),
          answer.addresses().stream()
              .sorted((a, b) -> a.getAddress()[3] - b.getAddress()[3])
              .toList());
      assertEquals(42, answer.ttlSeconds());
    }
  }

  @Test
  void asksTheNameServerAnewEachTime() throws Exception {
    try (NameServer server = new NameServer()) {
      DnsLookup lookup = lookup(server);
      server.answers.put("far.test", List.of(new Answer("192.0.2.1", 300)));
      assertEquals(List.of(address("192.0.2.1")), ask(lookup, "far.test").addresses());
      server.answers.put("far.test", List.of(new Answer("192.0.2.9", 7)));
      NameLookup.Answer second = ask(lookup, "far.test");
      assertEquals(List.of(address("192.0.2.9")), second.addresses());
      assertEquals(7, second.ttlSeconds());
    }
  }

  @Test
  void asksOtherNameServersWhenTheirFileChanges() throws Exception {
    try (NameServer first = new NameServer();
        NameServer second = new NameServer()) {
      first.answers.put("far.test", List.of(new Answer("192.0.2.1", 300)));
      second.answers.put("far.test", List.of(new Answer("192.0.2.2", 300)));
      Files.writeString(servers, resolvConf(first));
      DnsLookup lookup = new DnsLookup(thread, new NamePlaces(hosts, servers, null));
      assertEquals(List.of(address("192.0.2.1")), ask(lookup, "far.test").addresses());

      // As resolvconf and others do: another file in its place.
      Path next = Files.writeString(directory.resolve("next.conf"), resolvConf(second));
      Files.setLastModifiedTime(next, FileTime.fromMillis(1_000_000));
      Files.move(next, servers, StandardCopyOption.REPLACE_EXISTING);
      assertEquals(List.of(address("192.0.2.2")), ask(lookup, "far.test").addresses());
    }
  }

  /** As Netty reads it: the port holds for the servers after it. */
  private static String resolvConf(NameServer server) {
    return "port " + server.address().getPort() + "\nnameserver 127.0.0.1\n";
  }

  @Test
  void saysWhyANameDoesNotResolve() throws Exception {
    try (NameServer server = new NameServer()) {
      NameLookup.Answer answer = ask(lookup(server), "absent.test");
      assertEquals(List.of(), answer.addresses());
      String failure = String.valueOf(answer.failure());
      assertTrue(failure.contains("absent.test"), failure);
      assertEquals("NXDOMAIN", answer.rcode());
    }
  }

  private DnsLookup lookup(NameServer server) {
    return new DnsLookup(thread, new NamePlaces(hosts, servers, server.address()));
  }

  private NameLookup.Answer ask(DnsLookup lookup, String name) throws Exception {
    CompletableFuture<NameLookup.Answer> answer = new CompletableFuture<>();
    thread.execute(() -> lookup.lookup(name, List.of(), answer::complete));
    return answer.get(20, TimeUnit.SECONDS);
  }

  private static InetAddress address(String text) throws IOException {
    return InetAddress.getByName(text);
  }

  private record Answer(String address, int ttlSeconds) {}

  /** Answers questions for A records from a map, and NXDOMAIN else. */
  private static final class NameServer implements AutoCloseable {
    final Map<String, List<Answer>> answers = new ConcurrentHashMap<>();
    final AtomicInteger questions = new AtomicInteger();
    private final DatagramSocket socket;

    NameServer() throws IOException {
      socket = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      Thread.ofVirtual().start(this::run);
    }

    InetSocketAddress address() {
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), socket.getLocalPort());
    }

    private void run() {
      byte[] buffer = new byte[1500];
      while (!socket.isClosed()) {
        try {
          DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
          socket.receive(packet);
          questions.incrementAndGet();
          byte[] answer = answer(buffer, packet.getLength());
          socket.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
        } catch (IOException e) {
          return;
        }
      }
    }

    /**
     * One answer:
     *
     * <pre>
     *   id 2 | flags 2 | counts 2 2 2 2 | question | (pointer 2 type 2 class 2 ttl 4 length 2 data)*
     * </pre>
     */
    private byte[] answer(byte[] query, int length) {
      List<String> labels = new ArrayList<>();
      int at = 12;
      while (query[at] != 0) {
        labels.add(new String(query, at + 1, query[at], StandardCharsets.US_ASCII));
        at += query[at] + 1;
      }
      int type = query[at + 2];
      int questionEnd = at + 5;
      assertTrue(questionEnd <= length);
      String name = String.join(".", labels).toLowerCase(Locale.ROOT);
      List<Answer> known = answers.get(name);
      List<Answer> records = known == null || type != 1 ? List.of() : known;
      try {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.write(query, 0, 2);
        out.writeShort(0x8180 | (known == null ? 3 : 0));
        out.writeShort(1);
        out.writeShort(records.size());
        out.writeInt(0);
        out.write(query, 12, questionEnd - 12);
        for (Answer answer : records) {
          out.writeShort(0xc00c);
          out.writeShort(1);
          out.writeShort(1);
          out.writeInt(answer.ttlSeconds);
          out.writeShort(4);
          out.write(InetAddress.getByName(answer.address).getAddress());
        }
        return bytes.toByteArray();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() {
      socket.close();
    }
  }
}
