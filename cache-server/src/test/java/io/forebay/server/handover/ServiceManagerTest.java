package io.forebay.server.handover;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ServiceManagerTest {
  @TempDir Path directory;

  @Test
  void aStateIsOneDatagramToTheSocketOfTheManager() throws Exception {
    Path file = directory.resolve("notify");
    Socket manager = Socket.newSocketDomainDgram();
    try {
      manager.bind(new DomainSocketAddress(file.toFile()));
      ServiceManager.notify(file.toString(), "MAINPID=17");
      ByteBuffer message = ByteBuffer.allocateDirect(64);
      // It does not block: what was sent is there.
      int length = manager.read(message, 0, message.capacity());
      byte[] bytes = new byte[length];
      message.get(0, bytes);
      assertEquals("MAINPID=17", new String(bytes, StandardCharsets.UTF_8));
    } finally {
      manager.close();
    }
  }
}
