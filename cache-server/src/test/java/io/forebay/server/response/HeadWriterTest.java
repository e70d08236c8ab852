package io.forebay.server.response;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.forebay.server.http.ResponseSink;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class HeadWriterTest {
  private final HeadWriter writer = new HeadWriter(128);
  private final List<ByteBuf> begun = new ArrayList<>();
  private final List<String> sent = new ArrayList<>();

  private final ResponseSink sink =
      (ResponseSink)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {ResponseSink.class},
              (proxy, method, arguments) -> {
                if (method.getName().equals("beginHead")) {
                  ByteBuf head = Unpooled.buffer();
                  begun.add(head);
                  return head;
                }
                if (method.getName().equals("head")) {
                  ByteBuf head = (ByteBuf) arguments[0];
                  sent.add(head.toString(StandardCharsets.US_ASCII));
                  head.release();
                  return null;
                }
                throw new AssertionError(method);
              });

  @Test
  void writesTheSectionsInOrderAndLeavesOutWhatIsNotThere() {
    writer.begin(sink, 206, null).transportSecurity(null);
    HeadLines.text(writer.fields(), "etag: \"a\"\r\n");
    writer
        .age(7)
        .via("via: 1.1 edge\r\n".getBytes(StandardCharsets.US_ASCII))
        .trailer("")
        .cacheStatus("edge; hit")
        .contentRange(0, 9, 100)
        .send(10, false);
    assertEquals(
        List.of(
            "etag: \"a\"\r\nage: 7\r\nvia: 1.1 edge\r\ncache-status: edge; hit\r\n"
                + "content-range: bytes 0-9/100\r\n"),
        sent);
  }

  @Test
  void refusesASectionThatComesTooLate() {
    writer.begin(sink, 200, null).age(1);
    assertThrows(IllegalStateException.class, () -> writer.transportSecurity(null));
    assertThrows(IllegalStateException.class, writer::fields);
    writer.send(0, true);
    assertThrows(IllegalStateException.class, () -> writer.age(2));
  }

  @Test
  void dropsAHeadThatADefectLeftUnfinished() {
    writer.begin(sink, 200, null).age(1);
    writer.begin(sink, 200, null).age(2).send(0, true);
    assertEquals(List.of("age: 2\r\n"), sent);
    assertEquals(0, begun.getFirst().refCnt());
    assertEquals(0, begun.getLast().refCnt());
  }
}
