package io.forebay.lab.load;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.forebay.lab.result.LoadTotals;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a client and who started it say to each other: lines of JSON, the plan first.
 *
 * <pre>
 *   to the client                     from the client
 *   {plan}
 *                                     {"ready":CONNECTIONS}      connections that are open
 *   {"clock":N}          …            {"clock":MICROS}           its clock
 *   {"start":MICROS}                                             by its clock
 *                                     {"second":{…}}             one for each
 *                                     {"end":{…}}                and the process ends
 * </pre>
 *
 * <p>{@code clock} and {@code start} are for clients that begin together; a single one begins when
 * it is ready. A client ends when its standard input does.
 */
public final class ClientLines {
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .changeDefaultPropertyInclusion(
              inclusion -> inclusion.withValueInclusion(JsonInclude.Include.NON_NULL))
          .build();

  private ClientLines() {}

  /** To a client; one of the two. */
  record ToClient(@Nullable Integer clock, @Nullable Long start) {}

  /** From a client; one of the four. */
  record FromClient(
      @Nullable Integer ready, @Nullable Long clock, @Nullable Second second, @Nullable End end) {}

  /** A second of {@link LoadOutcome} with its times of last bytes. */
  record Second(
      int second,
      long requests,
      long bodyBytes,
      long errors,
      double lastByteP99Millis,
      String lastByte) {}

  record End(LoadTotals totals, Measured.Histograms histograms) {}

  public static String plan(LoadPlan plan) {
    return JSON.writeValueAsString(plan);
  }

  /**
   * Reads a plan.
   *
   * @throws IllegalArgumentException when it is none that can be run
   */
  public static LoadPlan plan(String line) {
    return read(line, LoadPlan.class).checked();
  }

  public static String ready(int connections) {
    return JSON.writeValueAsString(new FromClient(connections, null, null, null));
  }

  public static String clock(long micros) {
    return JSON.writeValueAsString(new FromClient(null, micros, null, null));
  }

  public static String second(SecondCounts second) {
    return JSON.writeValueAsString(
        new FromClient(
            null,
            null,
            new Second(
                second.second(),
                second.requests(),
                second.bodyBytes(),
                second.errors(),
                second.lastByte().percentileMillis(99),
                second.lastByte().encoded()),
            null));
  }

  public static String end(Measured measured) {
    return JSON.writeValueAsString(
        new FromClient(null, null, null, new End(measured.totals(), measured.histograms())));
  }

  /**
   * The moment to begin at, by the client's clock in microseconds, or -1 for a question after its
   * clock.
   *
   * @throws IllegalArgumentException when the line is neither
   */
  public static long start(String line) {
    ToClient read = read(line, ToClient.class);
    if (read.start() != null) {
      return read.start();
    }
    if (read.clock() == null) {
      throw new IllegalArgumentException("neither clock nor start: " + line);
    }
    return -1;
  }

  static String askClock(int round) {
    return JSON.writeValueAsString(new ToClient(round, null));
  }

  static String startAt(long micros) {
    return JSON.writeValueAsString(new ToClient(null, micros));
  }

  static FromClient fromClient(String line) {
    return read(line, FromClient.class);
  }

  private static <T> T read(String line, Class<T> type) {
    try {
      return JSON.readValue(line, type);
    } catch (JacksonException e) {
      throw new IllegalArgumentException(
          "not what is expected here: " + shortened(line) + ": " + e.getOriginalMessage(), e);
    }
  }

  private static String shortened(String line) {
    return line.length() <= 200 ? line : line.substring(0, 200) + "…";
  }
}
