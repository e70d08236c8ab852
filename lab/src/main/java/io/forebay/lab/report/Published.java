package io.forebay.lab.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * The published figures, from {@code published.yaml}. What a source does not tell is null.
 *
 * @param xeon6 Varnish Enterprise on Xeon 6
 * @param intel Varnish with Intel, cases 1 to 4
 * @param att Traffic Server with AT&amp;T
 * @param oneByte 143,000 requests a second
 * @param flashSizes an edge node with 245 TB of flash
 */
record Published(Xeon6 xeon6, Intel intel, Att att, OneByte oneByte, FlashSizes flashSizes) {

  private static final String RESOURCE = "published.yaml";

  record Xeon6(String source, List<Xeon6Row> rows) {}

  /**
   * One row of table 2.
   *
   * @param vod lowest and highest; the same but for rows that the source sums up
   * @param vodPerWatt of all rows of the CPU together
   */
  record Xeon6Row(
      String server,
      String cpu,
      int cores,
      int connections,
      double live,
      @Nullable Double livePerWatt,
      List<Double> vod,
      @Nullable Double vodPerWatt) {}

  record Intel(String source, int cores, List<IntelRow> rows) {}

  record IntelRow(
      int name,
      String text,
      double gbps,
      double cpuPercent,
      double busyCores,
      double ttfbMean,
      double ttfbP99,
      double ttlbMean,
      double ttlbP99,
      double hitPercent) {}

  record Att(String source, List<Kpi> kpis, List<Channels> channels) {}

  record Kpi(int kpi, String text) {}

  record Channels(
      String machine,
      int channels,
      @Nullable String gbps,
      @Nullable String hit,
      @Nullable String response) {}

  record OneByte(String source, List<OneByteRow> rows) {}

  record OneByteRow(String machine, @Nullable Integer cores, double low, double high) {}

  record FlashSizes(String source, int cores, List<FlashRow> rows) {}

  record FlashRow(
      int kilobytes,
      @Nullable String goodput,
      @Nullable String throughput,
      @Nullable Double ttlb,
      @Nullable Double cpuPercent,
      @Nullable Double watts,
      @Nullable Double requestsPerWatt) {}

  static Published read() {
    YAMLMapper yaml =
        YAMLMapper.builder().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();
    try (InputStream in =
        Objects.requireNonNull(Published.class.getResourceAsStream(RESOURCE), RESOURCE)) {
      return yaml.readValue(in, Published.class);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
