package io.forebay.lab.host;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What measures the machine's power, if anything does. Watts are never guessed. */
public sealed interface PowerMeter permits RaplMeter, WattsFile, PowerMeter.None {

  /** What it is, for the head of a report; for {@link None} why there is none. */
  String source();

  /** The state of a counter at a moment; 0 for a meter that has none. Never falls. */
  double joules();

  /** Mean between two moments, or null where it is not known. */
  @Nullable Double watts(Moment from, Moment to);

  /** What is to be said of the readings between two moments, such as gaps; each a sentence. */
  List<String> remarks(Moment from, Moment to);

  /**
   * A moment of a recording.
   *
   * @param at by the clock that the readings of outside meters are joined by
   * @param nanos by a clock that nobody sets
   * @param joules as the meter told them then
   */
  record Moment(Instant at, long nanos, double joules) {
    double secondsSince(Moment earlier) {
      return (nanos - earlier.nanos) / 1e9;
    }
  }

  /** The processor's own meter, or {@link None} where there is none that can be read. */
  static PowerMeter rapl() {
    return RaplMeter.open(KernelTree.SYSTEM);
  }

  /**
   * The readings of an outside meter.
   *
   * @throws IOException when the file cannot be read, or has other than a time and watts in each
   *     line; the message names the line
   */
  static PowerMeter file(Path csv) throws IOException {
    return WattsFile.read(csv);
  }

  /**
   * No meter.
   *
   * @param source why
   */
  record None(String source) implements PowerMeter {
    @Override
    public double joules() {
      return 0;
    }

    @Override
    public @Nullable Double watts(Moment from, Moment to) {
      return null;
    }

    @Override
    public List<String> remarks(Moment from, Moment to) {
      return List.of();
    }
  }
}
