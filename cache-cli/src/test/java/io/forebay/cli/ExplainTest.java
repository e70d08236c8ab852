package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.cli.console.Output;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ExplainTest {
  private static final String ANSWER =
      """
      {"request":{"method":"GET","url":"http://www.example/a"},
       "tls":{"listeners":[{"listener":"secure","entry":"certificates.www","matchedName":"*.example",
        "policy":"intermediate","versions":["TLSv1.3","TLSv1.2"],"clientAuth":"optional","certificates":[
        {"kind":"ecdsa","names":["a.example","*.example"],"forHost":true,"notAfter":"2027-01-01T00:00:00Z","valid":true},
        {"kind":"rsa","names":["b.example"],"forHost":false,"notAfter":"2026-01-01T00:00:00Z","valid":false}]}],
        "hsts":{"value":"max-age=5","from":"route"}},
       "answer":{"action":"revalidate","reason":"stale-expired","explanation":"It is old.",
        "status":null,"cacheStatus":"edge; fwd=stale"},
       "rules":[{"rule":"route","reason":null,"text":"site is for it"}],
       "route":{"name":"site","host":"*","path":"/","origin":"main","key":{"strip":["utm_*"]}},
       "key":{"text":"http://www.example:80/a","hash":"00ff","base":{"text":"http://www.example:80/a"}},
       "stored":{"variesBy":[],"variants":[],"object":{"key":"http://www.example:80/a","state":"stale"}},
       "age":{"currentAgeMillis":12500,"lifetimeMillis":10000,"lifetimeFrom":"s-maxage"},
       "serve":{"plan":"range","status":206,"ranges":[{"first":1,"last":2}]},
       "origin":{"origin":"main","method":"GET","target":"/a","fields":[["cookie","…"]]},"notes":[]}
      """;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @SuppressWarnings("NullAway.Init")
  private ScriptedAdmin admin;

  @BeforeEach
  void start() throws IOException {
    admin = new ScriptedAdmin();
  }

  @AfterEach
  void stop() {
    admin.close();
  }

  private int run(String... arguments) {
    String[] all =
        Stream.concat(Stream.of("explain", "--admin-url", admin.url()), Arrays.stream(arguments))
            .toArray(String[]::new);
    return Forebay.commandLine()
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(all);
  }

  @Test
  void theRequestIsSentAsItWasDescribedAndTheAnswerPrinted() {
    admin.answers(200, ANSWER);

    int code =
        run("http://www.example/a", "-X", "HEAD", "-H", "Range: bytes=1-2", "-H", "X-Empty:");

    assertEquals(0, code, err.toString());
    assertEquals(
        "{\"method\":\"HEAD\",\"url\":\"http://www.example/a\","
            + "\"fields\":[[\"Range\",\"bytes=1-2\"],[\"X-Empty\",\"\"]]}",
        admin.asked().getFirst().body());
    for (String part :
        new String[] {
          "revalidate, stale-expired",
          "edge; fwd=stale",
          "certificates.www, by the name *.example",
          "TLSv1.3, TLSv1.2  (intermediate)",
          "client cert        optional",
          "ecdsa certificate  a.example, *.example; ends 2027-01-01T00:00:00Z",
          "b.example; ends 2026-01-01T00:00:00Z\n                     expired",
          "does not cover this host",
          "max-age=5  from route",
          "utm_*",
          "00ff",
          "12.500 s",
          "10.000 s  from s-maxage",
          "range, status 206",
          "cookie: …"
        }) {
      assertTrue(out.toString().contains(part), part + " is not in\n" + out);
    }
  }

  @Test
  void programsGetTheAnswerAsItCame() {
    admin.answers(200, ANSWER);

    assertEquals(0, run("http://www.example/a", "--json"), err.toString());
    assertEquals(Output.mapper().readTree(ANSWER), Output.mapper().readTree(out.toString()));
  }

  @Test
  void aRefusedOrderAndAFieldWithoutColonAreWrongUsage() {
    admin.answers(400, "{\"error\":\"malformed\",\"problems\":[\"url is no URL\"]}");

    assertEquals(2, run("nowhere"));
    assertTrue(err.toString().contains("url is no URL"), err.toString());
    assertEquals(2, run("http://www.example/a", "-H", "nothing"));
    assertEquals(1, admin.asked().size());
  }
}
