package io.forebay.server.listen.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.listen.ListenFixture;
import io.forebay.testing.RawHttp2;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** RFC 9218: priorities sent by clients, and the resulting order of bodies. */
@Timeout(60)
class StreamPriorityTest {

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "u=0 | 0 | false",
        "u=7, i | 7 | true",
        "i | 3 | true",
        "i=?1, u=5 | 5 | true",
        "u=2,i=?0 | 2 | false",
        "i, i=?0 | 3 | false",
        "u=1, u=6 | 6 | false",
        "u=8 | 3 | false",
        "u=-1 | 3 | false",
        "u | 3 | false",
        "x=1, y;z=2, u=4 | 4 | false",
        "U=1 | 3 | false",
        ", | 3 | false",
        "a=\"u=0\", u=1 | 3 | true",
        "'' | 3 | true"
      })
  void readsWhatIsSaidAndIgnoresTheRest(String field, int urgency, boolean isShared) {
    assertEquals(new StreamPriority(urgency, isShared), StreamPriority.of(field));
  }

  /** Asks for bodies while the connection's window is shut, opens it, and tells who sent when. */
  private static List<Integer> order(String... priorities) throws Exception {
    ListenerConfig h2c =
        new ListenerConfig("h2c", new Address("127.0.0.1", 0), null, null, null, true, false);
    try (ListenFixture server =
            new ListenFixture(
                ListenFixture.config(
                    ListenFixture.LIMITS, ListenFixture.TIMEOUTS, "auto", 1, h2c));
        RawHttp2 client = new RawHttp2(server.port(), RawHttp2.setting(4, 1 << 20))) {
      // One stream takes all of the connection's window first.
      client.get(1, "/big?65535").flush();
      assertEquals("end", client.endOf(1));
      for (int i = 0; i < priorities.length; i++) {
        String said = priorities[i];
        String[] field = said.isEmpty() ? new String[0] : new String[] {"priority", said};
        client.get(2 * i + 3, "/big?60000", field);
      }
      client.flush();
      for (int i = 0; i < priorities.length; i++) {
        client.await(RawHttp2.HEADERS);
      }
      // All of them wait now.
      client.frame(RawHttp2.WINDOW_UPDATE, 0, 0, RawHttp2.number(1 << 20)).flush();
      List<Integer> order = new ArrayList<>();
      for (int ended = 0; ended < priorities.length; ) {
        RawHttp2.Frame frame = client.read();
        if (frame == null) {
          throw new AssertionError("the connection goes on");
        }
        if (frame.type() == RawHttp2.DATA) {
          order.add((frame.stream() - 3) / 2);
          ended += frame.isEnd() ? 1 : 0;
        }
      }
      return order;
    }
  }

  @Test
  void theMoreUrgentIsSentWholeBeforeTheLessUrgent() throws Exception {
    List<Integer> order = order("u=5", "u=3", "u=0");
    assertEquals(order.stream().sorted((a, b) -> b - a).toList(), order);
  }

  @Test
  void thoseOfOneUrgencyAreSentOneAfterTheOther() throws Exception {
    List<Integer> order = order("u=2", "u=2", "u=2");
    assertEquals(order.stream().sorted().toList(), order);
  }

  @Test
  void thoseThatShareTakeTurns() throws Exception {
    List<Integer> order = order("u=2, i", "u=2, i", "u=2, i");
    assertTrue(order.subList(0, 3).containsAll(List.of(0, 1, 2)), order::toString);
  }

  @Test
  void whoSaysNothingSharesToo() throws Exception {
    List<Integer> order = order("", "", "");
    assertTrue(order.subList(0, 3).containsAll(List.of(0, 1, 2)), order::toString);
  }

  @Test
  void anUpdateGoesBeforeWhatTheRequestSaidEvenIfItCameFirst() throws Exception {
    ListenerConfig h2c =
        new ListenerConfig("h2c", new Address("127.0.0.1", 0), null, null, null, true, false);
    try (ListenFixture server =
            new ListenFixture(
                ListenFixture.config(
                    ListenFixture.LIMITS, ListenFixture.TIMEOUTS, "auto", 1, h2c));
        RawHttp2 client = new RawHttp2(server.port(), RawHttp2.setting(4, 1 << 20))) {
      client.get(1, "/big?65535").flush();
      assertEquals("end", client.endOf(1));
      byte[] early = {0, 0, 0, 5, 'u', '=', '1'};
      client.frame(RawHttp2.PRIORITY_UPDATE, 0, 0, early);
      client.get(3, "/big?60000", "priority", "u=3");
      client.get(5, "/big?60000", "priority", "u=6");
      client.get(7, "/big?60000", "priority", "u=6").flush();
      for (int i = 0; i < 3; i++) {
        client.await(RawHttp2.HEADERS);
      }
      byte[] late = {0, 0, 0, 7, 'u', '=', '0'};
      client.frame(RawHttp2.PRIORITY_UPDATE, 0, 0, late);
      client.frame(RawHttp2.WINDOW_UPDATE, 0, 0, RawHttp2.number(1 << 20)).flush();
      List<Integer> ends = new ArrayList<>();
      while (ends.size() < 3) {
        RawHttp2.Frame frame = client.read();
        if (frame == null) {
          throw new AssertionError("the connection goes on");
        }
        if (frame.isEnd()) {
          ends.add(frame.stream());
        }
      }
      assertEquals(List.of(7, 5, 3), ends);
    }
  }
}
