package io.forebay.server.cmcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.counters.CmcdCounters;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

final class CmcdTest {
  private final Cmcd cmcd = new Cmcd();

  private Cmcd of(String... fields) {
    assertTrue(cmcd.read(HeaderFields.of(fields), null));
    return cmcd;
  }

  private Cmcd ofParameter(String text) {
    String encoded = URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    assertTrue(cmcd.read(HeaderFields.EMPTY, "a=1&CMCD=" + encoded + "&b=2"));
    return cmcd;
  }

  private static JsonNode json(Cmcd read) {
    return JsonMapper.shared().readTree(read.json().toString());
  }

  @Test
  void readsTheFourFieldsOfVersionOne() {
    Cmcd read =
        of(
            "cmcd-object", "br=3200,d=4004,ot=v,tb=6000",
            "CMCD-Request", "bl=21300,dl=18500,mtp=48100,nor=\"..%2F300kbps%2Ftrack.m4v\",su",
            "cmcd-session", "cid=\"faec5fc2-ac30\",pr=1.08,sf=d,sid=\"6e2fb550\",st=v",
            "cmcd-status", "bs,rtp=12000");
    assertFalse(read.isMalformed());
    assertEquals(21300, read.number(CmcdKey.BL));
    assertEquals(List.of("..%2F300kbps%2Ftrack.m4v"), read.texts(CmcdKey.NOR));
    assertEquals(
        "{\"su\":true,\"bs\":true,\"bl\":21300,\"mtp\":48100,\"br\":3200,\"d\":4004,\"dl\":18500,"
            + "\"ot\":\"v\",\"st\":\"v\",\"sf\":\"d\",\"pr\":1.08,\"rtp\":12000,\"tb\":6000,"
            + "\"sid\":\"6e2fb550\",\"cid\":\"faec5fc2-ac30\",\"nor\":\"..%2F300kbps%2Ftrack.m4v\"}",
        read.json().toString());
  }

  @Test
  void readsTheParameterWhereThereIsNoField() {
    Cmcd read = ofParameter("bl=400,bs,sid=\"a b\\\"c\"");
    assertEquals(400, read.number(CmcdKey.BL));
    assertEquals("a b\"c", json(read).path("sid").asString());
    assertTrue(cmcd.read(HeaderFields.of("cmcd-status", "rtp=5"), "CMCD=bl%3D400"));
    assertFalse(cmcd.has(CmcdKey.BL));
    assertEquals(5, cmcd.number(CmcdKey.RTP));
  }

  @Test
  void readsListsOfVersionTwo() {
    Cmcd read =
        ofParameter(
            "v=2,bl=(300;v 0900;a),mtp=(  5000 ),nor=(\"a.m4v\";r=\"0-99\" \"..%2Fb.m4a\"),ot=(v a),"
                + "bg,sta=p;x=\")\",ts=1700000000000,ec=(\"1\" \"2\")");
    assertFalse(read.isMalformed());
    assertEquals(2, read.number(CmcdKey.V));
    assertEquals(300, read.number(CmcdKey.BL));
    assertEquals(5000, read.number(CmcdKey.MTP));
    assertEquals(List.of("a.m4v", "..%2Fb.m4a"), read.texts(CmcdKey.NOR));
    JsonNode json = json(read);
    assertEquals("[300,900]", json.path("bl").toString());
    assertEquals("[\"v\",\"a\"]", json.path("ot").toString());
    assertEquals("[\"a.m4v\",\"..%2Fb.m4a\"]", json.path("nor").toString());
    assertEquals("p", json.path("sta").asString());
    assertEquals(1_700_000_000_000L, json.path("ts").asLong());
  }

  @Test
  void whatIsUnknownOrOfAnotherTypeIsIgnored() {
    Cmcd read =
        of("cmcd-request", "com.example-key=\"x\",bl=\"300\",mtp=-5,su=?0,bs=?1,dl=1.5,br=(1 a)");
    assertFalse(read.isMalformed());
    assertEquals("{\"bs\":true}", read.json().toString());
  }

  @Test
  void theLastOfAKeyCounts() {
    assertEquals(2, of("cmcd-request", "bl=1,bl=2").number(CmcdKey.BL));
    assertFalse(of("cmcd-request", "bl=1,bl=x").has(CmcdKey.BL));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "bl=",
        "bl=1,",
        ",bl=1",
        "bl=1 mtp=2",
        "BL=1",
        "bl =1",
        "bl=1..2",
        "bl=1234567890123456",
        "pr=1.2345",
        "sid=\"a",
        "sid=\"a\\n\"",
        "sid=\"\t\"",
        "su=?2",
        "nor=(\"a\"\"b\")",
        "nor=(\"a\"",
        "bl=1;",
        "bl=1;A=2",
        "ts=@5",
        "cs=:YQ==:",
      })
  void aMalformedPartTakesAllValues(String text) {
    of("cmcd-session", "sid=\"a\"", "cmcd-request", text);
    assertTrue(cmcd.isMalformed());
    assertFalse(cmcd.has(CmcdKey.SID));
    ofParameter(text);
    assertTrue(cmcd.isMalformed());
    assertEquals("{}", cmcd.json().toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"CMCD=bl%3", "CMCD=bl%3D%", "CMCD=bl%3D1%zz", "CMCD=sid%3D%22%C3%A4%22"})
  void wrongEncodingsAreMalformed(String query) {
    assertTrue(cmcd.read(HeaderFields.EMPTY, query));
    assertTrue(cmcd.isMalformed());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "cmcd=bl%3D1", "XCMCD=bl%3D1", "CMCD", "CMCDX=1", "a=CMCD=1"})
  void otherParametersAreNone(String query) {
    assertFalse(cmcd.read(HeaderFields.of("cmcd", "bl=1", "cmcd-other", "bl=1"), query));
    assertFalse(cmcd.has(CmcdKey.BL));
  }

  @Test
  void isBounded() {
    of("cmcd-session", "sid=\"" + "a".repeat(4091) + "\"");
    assertTrue(cmcd.isMalformed());
    of("cmcd-session", "sid=\"" + "a".repeat(4090) + "\"");
    assertFalse(cmcd.isMalformed());
    assertEquals("{}", cmcd.json().toString(), "too long for the log");
    of("cmcd-session", "x,".repeat(64) + "bl=1");
    assertTrue(cmcd.isMalformed());
    of("cmcd-request", "nor=(" + "\"a\" ".repeat(16) + ")");
    assertEquals(16, cmcd.texts(CmcdKey.NOR).size());
    of("cmcd-request", "nor=(" + "\"a\" ".repeat(17) + ")");
    assertTrue(cmcd.isMalformed());
  }

  @Test
  void theObjectOfTheLogIsWholeWhateverIsSent() {
    long seed = Long.getLong("test.seed", System.nanoTime());
    System.out.println("CmcdTest: -Dtest.seed=" + seed);
    SplittableRandom random = new SplittableRandom(seed);
    String[] pieces = {
      "bl",
      "=",
      "1",
      "(",
      ")",
      " ",
      "\"",
      "\\\"",
      ",",
      ";",
      "a",
      "007",
      "su",
      "nor",
      "sid",
      "1.5",
      "?1",
      "ot",
      "v",
      "\"" + "x".repeat(200) + "\"",
      "00.50",
      "pr"
    };
    for (int i = 0; i < 50_000; i++) {
      StringBuilder text = new StringBuilder();
      boolean isWellFormed = random.nextBoolean();
      int members = random.nextInt(12);
      for (int j = 0; j < members; j++) {
        if (isWellFormed) {
          CmcdKey key = CmcdKey.values()[random.nextInt(CmcdKey.values().length)];
          text.append(j == 0 ? "" : ",").append(key.name().toLowerCase(Locale.ROOT));
          text.append(value(key, random));
        } else {
          text.append(pieces[random.nextInt(pieces.length)]);
        }
      }
      cmcd.read(HeaderFields.of("cmcd-request", text.toString()), null);
      assertTrue(cmcd.json().length() <= Cmcd.MAX_JSON);
      JsonNode read = json(cmcd);
      assertTrue(read.isObject());
      if (isWellFormed && text.length() <= Cmcd.MAX_LENGTH) {
        assertFalse(cmcd.isMalformed(), text::toString);
      }
      for (CmcdKey key : CmcdKey.values()) {
        cmcd.texts(key);
        cmcd.number(key);
      }
    }
  }

  private static String value(CmcdKey key, SplittableRandom random) {
    return switch (key.type()) {
      case BOOLEAN -> "";
      case INTEGER -> "=" + list(random, "00" + random.nextInt(100));
      case DECIMAL -> "=" + list(random, "0" + random.nextInt(10) + ".5");
      case TOKEN -> "=" + list(random, "v");
      default -> "=" + list(random, "\"" + "\\\"a".repeat(random.nextInt(100)) + "\"");
    };
  }

  private static String list(SplittableRandom random, String item) {
    int items = random.nextInt(17);
    return items == 0 ? item : "(" + (item + ";p=\")\" ").repeat(items) + ")";
  }

  @Test
  void countsWhatOperatorsWatch() {
    CmcdCounters.OfRoute counters = new CmcdCounters().of(1);
    count(counters, "su,bl=0,mtp=1000");
    count(counters, "bs,bl=999999999999999,mtp=999999999999999");
    count(counters, "bl=");
    assertEquals(3, counters.requests);
    assertEquals(1, counters.malformed);
    assertEquals(1, counters.startups);
    assertEquals(1, counters.starvations);
    long[] buckets = new long[11];
    double[] total = new double[1];
    counters.buffer.addTo(buckets, total);
    assertEquals(1, buckets[0]);
    assertEquals(1, buckets[10]);
    assertEquals(86_400, total[0], "what cannot be is bounded");
  }

  private void count(CmcdCounters.OfRoute counters, String text) {
    of("cmcd-request", text).count(counters);
  }
}
