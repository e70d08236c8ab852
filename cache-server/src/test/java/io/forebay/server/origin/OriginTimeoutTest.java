package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.testing.ScriptedOrigin;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
@Tag("slow")
class OriginTimeoutTest {

  @Test
  void givesUpConnectingToAnAddressThatDoesNotAnswer() throws Exception {
    // A listener whose queue is full drops what else would connect.
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      List<SocketChannel> fillers = new ArrayList<>();
      try {
        for (int i = 0; i < 8; i++) {
          SocketChannel filler = SocketChannel.open();
          filler.configureBlocking(false);
          filler.setOption(StandardSocketOptions.SO_REUSEADDR, true);
          filler.connect(silent.getLocalSocketAddress());
          fillers.add(filler);
        }
        try (Lab lab =
            Lab.of(
                Lab.withTimes(
                    Lab.origin("http://127.0.0.1:" + silent.getLocalPort()),
                    80,
                    5000,
                    5000,
                    0,
                    5000))) {
          long before = System.nanoTime();
          String detail = lab.send(Lab.get("/")).failure(Kind.CONNECT_TIMEOUT);
          assertTrue(detail.contains("80 ms"), detail);
          assertTrue(elapsedMillis(before) >= 75, "too early");
          assertEquals(0, lab.connections.open("main"));
        }
      } finally {
        for (SocketChannel filler : fillers) {
          filler.close();
        }
      }
    }
  }

  @Test
  void givesUpWhenTheFirstByteDoesNotCome() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.withTimes(Lab.origin(origin.url()), 5000, 60, 5000, 0, 5000))) {
      long before = System.nanoTime();
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.accept();
      connection.head();
      response.failure(Kind.FIRST_BYTE_TIMEOUT);
      assertTrue(elapsedMillis(before) >= 55, "too early");
      connection.awaitClose();
    }
  }

  @Test
  void anInterimResponseGivesTheOriginItsTimeAnew() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.withTimes(Lab.origin(origin.url()), 5000, 400, 400, 0, 5000))) {
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.accept();
      connection.head();
      connection.send("HTTP/1.1 103 Early\r\n\r\n");
      response.failure(Kind.FIRST_BYTE_TIMEOUT);
      assertEquals(List.of(103), response.interim);
    }
  }

  @Test
  void givesUpWhenTheHeadDoesNotEnd() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.withTimes(Lab.origin(origin.url()), 5000, 5000, 60, 0, 5000))) {
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.accept();
      connection.head();
      connection.send("HTTP/1.1 200 OK\r\nX-Slow: ");
      response.failure(Kind.HEAD_TIMEOUT);
      connection.awaitClose();
    }
  }

  @Test
  void givesUpWhenTheBodyStandsStill() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.withTimes(Lab.origin(origin.url()), 5000, 5000, 60, 0, 5000))) {
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.accept();
      connection.head();
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome");
      response.failure(Kind.IDLE_TIMEOUT);
      assertEquals("some", response.bodySoFar());
      connection.awaitClose();
    }
  }

  @Test
  void doesNotCountTheTimeInWhichTheListenerHoldsReadingBack() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.withTimes(Lab.origin(origin.url()), 5000, 5000, 100, 0, 5000))) {
      OriginCall[] calls = new OriginCall[1];
      Recorder response = new Recorder();
      lab.send(
          0,
          Lab.get("/"),
          response,
          call -> {
            calls[0] = call;
            response.onHead = call::suspend;
          });
      Connection connection = origin.accept();
      connection.head();
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n");
      response.awaitHead();
      // Three times the idle timeout, on the clock that measures it.
      lab.loop(0).schedule(() -> calls[0].resume(), 300, TimeUnit.MILLISECONDS).sync();
      connection.send("body");
      assertEquals("body", response.body());
    }
  }

  @Test
  void givesUpWhenTheTotalTimeIsOver() throws Exception {
    try (ScriptedOrigin origin =
            ScriptedOrigin.start()
                .serve(connection -> {
                  connection.head();
                  connection.send("HTTP/1.1 200 OK\r\n\r\n");
                  while (true) {
                    // Never still for long, and never done.
                    connection.send("x".repeat(1000));
                  }
                });
        Lab lab = Lab.of(Lab.withTimes(Lab.origin(origin.url()), 5000, 5000, 5000, 100, 5000))) {
      long before = System.nanoTime();
      Recorder response = lab.send(Lab.get("/"));
      response.failure(Kind.TOTAL_TIMEOUT);
      assertTrue(elapsedMillis(before) >= 95, "too early");
      lab.awaitOnLoop(0, "none open", () -> lab.counters().originConnectionsOpen == 0);
    }
  }

  @Test
  void theTotalTimeCountsWhileWaitingForAConnection() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab =
            Lab.of(
                Lab.withMost(
                    Lab.withTimes(Lab.origin(origin.url()), 5000, 5000, 5000, 80, 5000), 1))) {
      Recorder first = lab.send(Lab.get("/1"));
      Recorder second = lab.send(Lab.get("/2"));
      origin.accept().head();
      first.failure(Kind.TOTAL_TIMEOUT);
      second.failure(Kind.TOTAL_TIMEOUT);
    }
  }

  private static long elapsedMillis(long sinceNanos) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sinceNanos);
  }
}
