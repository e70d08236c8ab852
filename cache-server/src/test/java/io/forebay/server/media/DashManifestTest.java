package io.forebay.server.media;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.media.DashManifest.RefusedException;
import io.forebay.server.media.DashManifest.Representation;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DashManifestTest {
  private static final URI URL = URI.create("http://a/v/main.mpd?x=1");
  private static final Instant NOW = Instant.parse("2026-01-01T00:01:00Z");

  private static DashManifest parse(String xml) throws RefusedException {
    return DashManifest.parse(xml.getBytes(StandardCharsets.UTF_8), URL, NOW, 1000);
  }

  /** The URLs of all representations, without what all of them begin with. */
  private static List<String> urls(String xml) throws RefusedException {
    return parse(xml).representations().stream()
        .flatMap(representation -> representation.urls().stream())
        .map(url -> url.startsWith("http://a/v/") ? url.substring(11) : url)
        .toList();
  }

  private static String refusal(String xml) {
    RefusedException e = assertThrows(RefusedException.class, () -> parse(xml));
    return String.valueOf(e.getMessage());
  }

  private static String oneSet(String mpd, String inside) {
    return "<MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" "
        + mpd
        + "><Period><AdaptationSet>"
        + inside
        + "</AdaptationSet></Period></MPD>";
  }

  @Test
  void numbersWithWidthsAndOfEachRepresentation() throws RefusedException {
    String xml =
        oneSet(
            "type=\"static\" mediaPresentationDuration=\"PT9S\"",
            "<SegmentTemplate timescale=\"1000\" duration=\"4000\" startNumber=\"7\""
                + " initialization=\"$RepresentationID$/init.mp4\" media=\"$RepresentationID$/$Number%03d$-$Bandwidth$$$.m4s\"/>"
                + "<Representation id=\"lo\" bandwidth=\"100\"/><Representation id=\"hi\" bandwidth=\"900\"/>");
    DashManifest manifest = parse(xml);
    assertFalse(manifest.isDynamic());
    assertNull(manifest.minimumUpdatePeriod());
    assertTrue(manifest.isWhole());
    assertEquals(
        new Representation(
            "lo",
            100,
            List.of(
                "http://a/v/lo/init.mp4",
                "http://a/v/lo/007-100$.m4s",
                "http://a/v/lo/008-100$.m4s",
                "http://a/v/lo/009-100$.m4s")),
        manifest.representations().getFirst());
    assertEquals("hi", manifest.representations().getLast().id());
    assertEquals(8, urls(xml).size());
  }

  @Test
  void timelinesRepeatAndJump() throws RefusedException {
    String timeline =
        "<SegmentTemplate media=\"$Time$_$Number$\" timescale=\"10\" presentationTimeOffset=\"100\"><SegmentTimeline>"
            + "<S t=\"100\" d=\"20\" r=\"2\"/><S d=\"5\"/><S t=\"200\" d=\"30\" r=\"-1\"/><S t=\"260\" d=\"20\" r=\"-1\"/>"
            + "</SegmentTimeline></SegmentTemplate><Representation id=\"v\"/>";
    assertEquals(
        List.of("100_1", "120_2", "140_3", "160_4", "200_5", "230_6", "260_7", "280_8"),
        urls(oneSet("mediaPresentationDuration=\"P0Y0M0DT0H0M20.0S\"", timeline)));
  }

  /** 60 s after the start there are 15 segments of 4 s; 12 s of them are kept. */
  @Test
  void ofALivePresentationThoseThatCanBeRequested() throws RefusedException {
    String xml =
        oneSet(
            "type=\"dynamic\" availabilityStartTime=\"2026-01-01T00:00:00\" minimumUpdatePeriod=\"PT2S\""
                + " timeShiftBufferDepth=\"PT12S\"",
            "<SegmentTemplate duration=\"4\" media=\"$Number$\"/><Representation id=\"v\"/>");
    assertTrue(parse(xml).isDynamic());
    assertEquals(Duration.ofSeconds(2), parse(xml).minimumUpdatePeriod());
    assertEquals(List.of("13", "14", "15"), urls(xml));
    assertEquals(
        List.of(), urls(xml.replace("2026-01-01T00:00:00", "2027-01-01T00:00:00Z")), "not begun");
    DashManifest sinceEver =
        parse(xml.replace("2026-", "1970-").replace("timeShiftBufferDepth", "other"));
    List<String> newest = sinceEver.representations().getFirst().urls();
    assertEquals(1000, newest.size());
    assertFalse(sinceEver.isWhole());
    assertEquals(
        "http://a/v/" + (NOW.getEpochSecond() / 4),
        newest.getLast(),
        "the newest ones are listed where not all have room");
  }

  @Test
  void listsAndSingleFiles() throws RefusedException {
    assertEquals(
        List.of("i.mp4", "1.m4s", "2.m4s"),
        urls(
            oneSet(
                "",
                "<SegmentList><Initialization sourceURL=\"i.mp4\"/><SegmentURL media=\"1.m4s\"/>"
                    + "<SegmentURL media=\"2.m4s\"/></SegmentList><Representation/>")));
    assertEquals(
        List.of("all.mp4"),
        urls(
            oneSet(
                "",
                "<Representation><BaseURL> all.mp4 </BaseURL><SegmentBase indexRange=\"0-9\">"
                    + "<Initialization range=\"0-5\"/></SegmentBase></Representation>")),
        "ranges of one file are one URL");
    assertEquals(List.of(), urls(oneSet("", "<Representation/>")), "never the manifest itself");
  }

  @Test
  void baseUrlsAddUpAtEachLevel() throws RefusedException {
    String xml =
        "<MPD><BaseURL>http://cdn</BaseURL><BaseURL>http://other/</BaseURL><Period><BaseURL>p/</BaseURL>"
            + "<AdaptationSet><BaseURL>a/</BaseURL><Representation><BaseURL>r x/</BaseURL>"
            + "<SegmentList><SegmentURL media=\"1\"/><SegmentURL media=\"../2\"/><SegmentURL media=\"/3\"/>"
            + "<SegmentURL media=\"http://b/4\"/></SegmentList></Representation></AdaptationSet></Period></MPD>";
    assertEquals(
        List.of("http://cdn/p/a/r%20x/1", "http://cdn/p/a/2", "http://cdn/3", "http://b/4"),
        urls(xml));
  }

  @Test
  void lowerLevelsOverrideSingleAttributes() throws RefusedException {
    String xml =
        "<MPD mediaPresentationDuration=\"PT30S\"><Period duration=\"PT10S\">"
            + "<SegmentTemplate media=\"p$Number$\" duration=\"5\" startNumber=\"3\"/>"
            + "<AdaptationSet><Representation><SegmentTemplate media=\"r$Number$\"/></Representation></AdaptationSet></Period>"
            + "<Period><SegmentTemplate media=\"q$Number$\" duration=\"10\"/>"
            + "<AdaptationSet><Representation/></AdaptationSet></Period></MPD>";
    assertEquals(List.of("r3", "r4", "q1", "q2"), urls(xml));
  }

  @Test
  void whatIsNoPartOfThePathToSegmentsIsDropped() throws RefusedException {
    assertEquals(
        List.of("1"),
        urls(
            oneSet(
                "",
                "<ContentProtection><BaseURL>http://evil/</BaseURL><Representation/></ContentProtection>"
                    + "<Representation><SegmentList><SegmentURL media=\"1\"/></SegmentList></Representation>")));
  }

  @Test
  void boundsEndIt() throws RefusedException {
    String repeats =
        oneSet(
            "",
            "<SegmentTemplate media=\"$Time$\"><SegmentTimeline><S t=\"0\" d=\"1\" r=\"999999999999\"/>"
                + "</SegmentTimeline></SegmentTemplate><Representation/><Representation/>");
    assertEquals(1000, urls(repeats).size());
    assertFalse(parse(repeats).isWhole());
    assertEquals(
        "the manifest has elements nested deeper than 24", refusal("<MPD>" + "<a>".repeat(5000)));
    assertEquals(
        "the manifest has more than 100000 elements", refusal("<MPD>" + "<a/>".repeat(100_001)));
    assertEquals(
        "the manifest has more than 8388608 bytes", refusal("<MPD>" + " ".repeat(8 << 20)));
    assertEquals(
        "a BaseURL has more than 8192 characters",
        refusal("<MPD><BaseURL>" + "a".repeat(8193) + "</BaseURL></MPD>"));
    assertEquals(
        "a time of the manifest is out of range",
        refusal(
            repeats
                .replace("t=\"0\"", "t=\"999999999999999999\"")
                .replace("d=\"1\"", "d=\"999999999999999999\"")));
  }

  @Test
  void whatIsNoManifestIsRefused() {
    assertEquals("not a DASH manifest: its root element is not MPD", refusal("<html/>"));
    assertTrue(refusal("").startsWith("not a DASH manifest: "));
    assertTrue(refusal("<MPD>").startsWith("not a DASH manifest: "));
    String template = "<SegmentTemplate media=\"%s\" duration=\"4\"/><Representation/>";
    for (String wrong :
        List.of("$Number", "$SubNumber$", "$Number%5d$", "$Number%0999d$", "$Number%0xd$")) {
      assertTrue(
          refusal(oneSet("mediaPresentationDuration=\"PT8S\"", template.replace("%s", wrong)))
              .startsWith("the template of URLs is not supported: "),
          wrong);
    }
    assertEquals(
        "the manifest's mediaPresentationDuration cannot be read: P1Y",
        refusal("<MPD mediaPresentationDuration=\"P1Y\"/>"));
    assertEquals(
        "the manifest's bandwidth cannot be read: -1",
        refusal(oneSet("", "<Representation bandwidth=\"-1\"/>")));
  }

  @Test
  void readsNeitherTypesNorEntities() {
    for (String head :
        List.of(
            "<!DOCTYPE MPD [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]>",
            "<!DOCTYPE MPD SYSTEM \"http://127.0.0.1:1/x.dtd\">")) {
      assertTrue(
          refusal(head + "<MPD><BaseURL>&b;</BaseURL></MPD>").startsWith("not a DASH manifest: "),
          head);
    }
  }

  @Test
  void manifestsAreKnownByTypeOrSuffix() {
    assertTrue(DashManifest.isManifest("/a.MPD", ""));
    assertTrue(DashManifest.isManifest("/a", "application/dash+xml; charset=utf-8"));
    assertFalse(DashManifest.isManifest("/a", "text/xml"));
  }
}
