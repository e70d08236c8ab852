package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ServerConfig.Balance;
import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.testing.ScriptedOrigin;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Servers with a base path. */
@Timeout(60)
@Tag("slow")
class OriginBasePathTest {

  @Test
  void theBasePathStandsBeforeThePathOfEachRequest() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url() + "/app/"))) {
      Recorder first = lab.send(Lab.get("/x?a=b"));
      Connection connection = origin.accept();
      assertTrue(connection.head().startsWith("GET /app/x?a=b HTTP/1.1\r\n"));
      connection.respond("one");
      assertEquals("one", first.body());
      lab.awaitOnLoop(0, "idle", () -> lab.client(0).idleCount("main") == 1);
      Recorder second = lab.send(Lab.request("OPTIONS", "*", RequestBody.NONE));
      assertTrue(connection.head().startsWith("OPTIONS * HTTP/1.1\r\n"));
      connection.respond("two");
      assertEquals("two", second.body());
    }
  }

  @Test
  void eachServerHasItsOwn() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab =
            Lab.of(
                Lab.withServers(
                    Lab.origin(""),
                    OriginServerConfig.of(origin.url() + "/a"),
                    OriginServerConfig.of(origin.url() + "/b"),
                    OriginServerConfig.of(origin.url())))) {
      origin.serve(OriginBasePathTest::echo);
      Set<String> seen = new TreeSet<>();
      for (int i = 0; i < 3; i++) {
        seen.add(lab.send(Lab.get("/x")).body());
      }
      assertEquals(Set.of("/a/x", "/b/x", "/x"), seen);
    }
  }

  @Test
  void serversThatDifferInItAreDifferentToConsistentBalancing() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab =
            Lab.of(
                Lab.balanced(
                    Lab.withServers(
                        Lab.origin(""),
                        OriginServerConfig.of(origin.url() + "/a"),
                        OriginServerConfig.of(origin.url() + "/b")),
                    Balance.CONSISTENT))) {
      origin.serve(OriginBasePathTest::echo);
      Set<String> bases = new TreeSet<>();
      for (int i = 0; i < 64; i++) {
        bases.add(lab.send(Lab.get("/" + i)).body().substring(0, 3));
      }
      assertEquals(Set.of("/a/", "/b/"), bases);
    }
  }

  @Test
  void aRequestThatIsSentAgainGetsThatOfTheOtherServer() throws Exception {
    try (ScriptedOrigin failing = ScriptedOrigin.start();
        ScriptedOrigin other = ScriptedOrigin.start();
        Lab lab =
            Lab.of(
                Lab.withServers(
                    Lab.origin(""),
                    OriginServerConfig.of(failing.url() + "/a"),
                    OriginServerConfig.of(other.url() + "/b/c")))) {
      other.serve(OriginBasePathTest::echo);
      Recorder response = lab.send(Lab.get("/x"));
      Connection connection = failing.accept();
      assertTrue(connection.head().startsWith("GET /a/x "));
      connection.close();
      assertEquals("/b/c/x", response.body());
    }
  }

  @Test
  void aPathThatCouldLeaveItIsRefused() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.origin(origin.url() + "/app"))) {
      lab.send(Lab.get("/..%2Fadmin")).failure(Kind.TARGET_REFUSED);
      assertEquals(0, origin.accepted());
      lab.reconfigure(Lab.origin(origin.url()));
      origin.serve(OriginBasePathTest::echo);
      assertEquals("/..%2Fadmin", lab.send(Lab.get("/..%2Fadmin")).body());
    }
  }

  private static void echo(Connection connection) throws java.io.IOException {
    while (true) {
      connection.respond(connection.head().split(" ", 3)[1]);
    }
  }
}
