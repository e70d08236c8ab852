package io.forebay.lab.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class PublishedTest {

  private final Published published = Published.read();

  @Test
  void eachXeonHasThreeRowsByConnections() {
    assertEquals(21, published.xeon6().rows().size());
    published.xeon6().rows().stream()
        .collect(
            Collectors.groupingBy(
                Published.Xeon6Row::cpu,
                Collectors.mapping(Published.Xeon6Row::connections, Collectors.toSet())))
        .values()
        .forEach(connections -> assertEquals(Set.of(48, 100, 800), connections));
    published.xeon6().rows().forEach(row -> assertEquals(2, row.vod().size()));
  }

  @Test
  void figuresPerWattFitTheOthers() {
    for (Published.Xeon6Row row : published.xeon6().rows()) {
      Double perWatt = row.livePerWatt();
      if (perWatt != null) {
        double watts = row.live() / perWatt;
        assertTrue(watts > 250 && watts < 1_200, row.toString());
      }
    }
  }

  @Test
  void allFourCasesHaveBusyCoresWithinTheMachine() {
    assertEquals(4, published.intel().rows().size());
    for (Published.IntelRow row : published.intel().rows()) {
      double share = row.cpuPercent() * published.intel().cores() / 100;
      assertEquals(share, row.busyCores(), 1.5, row.text());
    }
  }
}
