package io.forebay.lab.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.lab.model.ChannelModel.Cache;
import io.forebay.lab.model.ChannelModel.Channels;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;

class ChannelModelTest {
  private static final ChannelModel MODEL = ChannelModel.PUBLISHED;

  private static List<Long> rounded(ToDoubleFunction<Channels> figure) {
    return ChannelModel.PUBLISHED_CACHES.stream()
        .map(cache -> Math.round(figure.applyAsDouble(MODEL.of(cache))))
        .toList();
  }

  @Test
  void thePublishedCachesGiveTheReckonedChannels() {
    assertEquals(List.of(96L, 171L, 256L, 341L), rounded(Channels::perMachine));
    assertEquals(List.of(192L, 341L, 512L, 683L), rounded(Channels::perSocket));
    assertEquals(List.of(384L, 683L, 1024L, 1365L), rounded(Channels::perServer));
    assertEquals(240, MODEL.of(ChannelModel.PUBLISHED_CACHES.getFirst()).rewritesPerDay());
  }

  @Test
  void everyRoundedFigureOfThePaperIsNamedWithWhatItImplies() {
    List<Discrepancy> discrepancies = MODEL.discrepancies(ChannelModel.PUBLISHED_CACHES);
    assertEquals(
        List.of("100", "175", "250", "325"),
        discrepancies.stream().map(Discrepancy::published).toList());
    assertEquals(
        List.of("96", "171", "256", "341"),
        discrepancies.stream().map(Discrepancy::reckoned).toList());
    assertTrue(discrepancies.getFirst().assumption().contains("24.0 MB"));
  }

  @Test
  void aCacheWithoutPublishedFigureHasNoDiscrepancy() {
    Cache own = new Cache("own", 150, null);
    assertEquals(100, MODEL.of(own).perServer());
    assertEquals(List.of(), MODEL.discrepancies(List.of(own, new Cache("agrees", 600, 100.0))));
  }

  @Test
  void nothingIsDividedByZero() {
    assertThrows(IllegalArgumentException.class, () -> new ChannelModel(0, 60, 6, 2, 4));
    assertThrows(IllegalArgumentException.class, () -> new ChannelModel(25, 0, 6, 2, 4));
    assertThrows(IllegalArgumentException.class, () -> new Cache("none", Double.NaN, null));
  }
}
