package io.forebay.lab.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class ManifestsTest {
  private static final Instant NOW = Instant.parse("2026-11-27T10:00:05Z");

  @Test
  void theMasterPlaylistNamesPlaylistsOfTheLadder() {
    List<String> lines = new Manifests(SegmentWindow.LIVE).master().lines().toList();
    assertEquals("#EXTM3U", lines.getFirst());
    List<String> renditions = lines.stream().filter(line -> !line.startsWith("#")).toList();
    assertEquals(8, renditions.size());
    for (String rendition : renditions) {
      assertTrue(Resource.parse("/ch1/" + rendition) instanceof Resource.MediaPlaylist, rendition);
    }
    assertTrue(lines.contains("variant02/hls-video/4096KB/index.m3u8"));
    assertTrue(
        lines.stream().anyMatch(line -> line.contains("BANDWIDTH=5461333,RESOLUTION=1920x1080")));
    assertTrue(
        lines.stream()
            .anyMatch(line -> line.endsWith("URI=\"variant01/hls-audio/384KB/index.m3u8\"")));
  }

  @Test
  void aLivePlaylistHasTheSegmentsOfTheBuffer() {
    SegmentWindow window = SegmentWindow.LIVE;
    List<String> lines = new Manifests(window).media("hls-video", NOW).lines().toList();
    List<String> segments = lines.stream().filter(line -> !line.startsWith("#")).toList();
    assertEquals(60, segments.size());
    assertEquals(window.oldest(NOW) + ".ts", segments.getFirst());
    assertEquals(window.newest(NOW) + ".ts", segments.getLast());
    assertTrue(lines.contains("#EXT-X-MEDIA-SEQUENCE:" + window.oldest(NOW)));
    assertTrue(lines.contains("#EXT-X-TARGETDURATION:6"));
    assertTrue(lines.stream().noneMatch(line -> line.equals("#EXT-X-ENDLIST")));
  }

  @Test
  void aPlaylistOfSegmentsThatAlwaysExistEnds() {
    List<String> lines =
        new Manifests(SegmentWindow.ALWAYS).media("dash-4k-video", NOW).lines().toList();
    assertEquals("#EXT-X-ENDLIST", lines.getLast());
    assertTrue(lines.contains("0.m4s"));
    assertTrue(lines.contains("59.m4s"));
  }

  @Test
  void theDashManifestNamesEveryRenditionOfDash() throws Exception {
    Document live = parsed(new Manifests(SegmentWindow.LIVE).dash());
    Element root = live.getDocumentElement();
    assertEquals("dynamic", root.getAttribute("type"));
    assertEquals("PT6M", root.getAttribute("timeShiftBufferDepth"));
    NodeList templates = live.getElementsByTagName("SegmentTemplate");
    assertEquals(9, templates.getLength());
    for (int i = 0; i < templates.getLength(); i++) {
      String media = ((Element) templates.item(i)).getAttribute("media");
      assertTrue(
          Resource.parse("/ch1/" + media.replace("$Number$", "7")) instanceof Resource.Segment,
          media);
    }
    Document always = parsed(new Manifests(SegmentWindow.ALWAYS).dash());
    assertEquals("static", always.getDocumentElement().getAttribute("type"));
  }

  private static Document parsed(String xml) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)));
  }
}
