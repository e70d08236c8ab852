package io.forebay.lab.result;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.MutableConfigOverride;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

/**
 * Reads and writes {@code results.json}:
 *
 * <pre>
 *   {"version": 1, "runs": [RunResult, ...]}
 * </pre>
 *
 * <p>A number that is not known (NaN) is null. Unknown and missing names are errors: a file of
 * another program is better refused than half read.
 */
public final class ResultFiles {

  public static final String NAME = "results.json";

  static final long MAX_BYTES = 256L << 20;
  static final int MAX_RUNS = 1_000;
  static final int MAX_STEPS = 10_000;
  static final int MAX_SAMPLES = 100_000;

  private static final JsonMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(32)
                          .maxNumberLength(64)
                          .maxNameLength(1_024)
                          .maxStringLength(1 << 20)
                          .maxDocumentLength(MAX_BYTES)
                          .build())
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .changeDefaultNullHandling(any -> JsonSetter.Value.forValueNulls(Nulls.FAIL))
          .withConfigOverride(double.class, ResultFiles::permitNull)
          .withConfigOverride(Double.class, ResultFiles::permitNull)
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
          .addModule(
              new SimpleModule()
                  .addSerializer(Double.class, new KnownNumbers())
                  .addSerializer(double.class, new KnownNumbers())
                  .addDeserializer(double.class, new NullIsNaN()))
          .build();

  private ResultFiles() {}

  /** What the file holds. */
  private record Document(int version, List<RunResult> runs) {

    Document {
      runs = List.copyOf(runs);
    }
  }

  private static void permitNull(MutableConfigOverride type) {
    type.setNullHandling(JsonSetter.Value.forValueNulls(Nulls.SET));
  }

  /** Writes all runs to {@code results.json} in a directory, which is made; whole or not at all. */
  public static void write(Path directory, List<RunResult> runs) throws IOException {
    Files.createDirectories(directory);
    Path file = directory.resolve(NAME);
    Path part = directory.resolve(NAME + ".part");
    try {
      List<RunResult> known = runs.stream().map(ResultFiles::withoutUnknown).toList();
      Files.write(part, JSON.writeValueAsBytes(new Document(RunResult.VERSION, known)));
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(part);
    }
  }

  /**
   * Reads all runs of a file, or of {@code results.json} in a directory.
   *
   * @throws IOException when there is no such file, or it is not of this format; the message says
   *     where and why
   */
  public static List<RunResult> read(Path directoryOrFile) throws IOException {
    Path file =
        Files.isDirectory(directoryOrFile) ? directoryOrFile.resolve(NAME) : directoryOrFile;
    if (!Files.isRegularFile(file)) {
      throw new IOException(file + ": no such file; \"forebay lab run NAME\" writes one");
    }
    long size = Files.size(file);
    if (size > MAX_BYTES) {
      throw new IOException(file + ": " + size + " bytes, more than the limit of " + MAX_BYTES);
    }
    try {
      JsonNode tree = JSON.readTree(Files.readAllBytes(file));
      checkVersion(file, tree);
      Document document = JSON.treeToValue(tree, Document.class);
      check(file, document.runs());
      return document.runs();
    } catch (JacksonException e) {
      throw new IOException(file + ": not results of the lab: " + e.getOriginalMessage(), e);
    }
  }

  private static void checkVersion(Path file, JsonNode tree) throws IOException {
    JsonNode version = tree.path("version");
    if (!version.isInt()) {
      throw new IOException(file + ": not results of the lab: \"version\" is not a number");
    }
    if (version.asInt() != RunResult.VERSION) {
      throw new IOException(
          file
              + ": format "
              + version.asInt()
              + (version.asInt() > RunResult.VERSION ? " is later than " : " is not ")
              + RunResult.VERSION
              + ", the one that this program reads; use the program that wrote the file");
    }
  }

  private static void check(Path file, List<RunResult> runs) throws IOException {
    if (runs.size() > MAX_RUNS) {
      throw new IOException(file + ": more than " + MAX_RUNS + " runs");
    }
    for (RunResult run : runs) {
      if (run.version() != RunResult.VERSION) {
        throw new IOException(file + ": a run has the format " + run.version());
      }
      if (run.scenario().isBlank() || run.target().isBlank() || !(run.factor() > 0)) {
        throw new IOException(file + ": a run without a scenario, a target or a factor above 0");
      }
      if (run.steps().size() > MAX_STEPS) {
        throw new IOException(
            file + ": more than " + MAX_STEPS + " steps in a run of " + run.scenario());
      }
      for (StepResult step : run.steps()) {
        check(file, run, step);
      }
    }
  }

  private static void check(Path file, RunResult run, StepResult step) throws IOException {
    String place = file + ": step " + step.name() + " of " + run.scenario();
    if (step.name().isBlank() || step.repetition() < 1) {
      throw new IOException(place + " has no name, or a repetition below 1");
    }
    if (step.samples().size() > MAX_SAMPLES) {
      throw new IOException(place + " has more than " + MAX_SAMPLES + " samples");
    }
    LoadTotals load = step.load();
    if (!(load.seconds() >= 0) || load.requests() < 0 || load.bodyBytes() < 0) {
      throw new IOException(place + " has negative seconds, requests or bytes");
    }
    for (Map<String, Object> map : List.of(step.dials(), run.facts(), run.settings())) {
      if (map.size() > 1_000) {
        throw new IOException(place + ": more than 1000 dials, facts or settings");
      }
    }
  }

  /** A fact, setting or dial whose number is not known is left out: these maps hold no null. */
  private static RunResult withoutUnknown(RunResult run) {
    return new RunResult(
        run.version(),
        run.scenario(),
        run.profile(),
        run.factor(),
        run.target(),
        run.targetVersion(),
        run.startedAt(),
        run.command(),
        withoutUnknown(run.facts()),
        withoutUnknown(run.settings()),
        run.steps().stream()
            .map(step ->
                new StepResult(
                    step.name(),
                    step.repetition(),
                    withoutUnknown(step.dials()),
                    step.load(),
                    step.server(),
                    step.samples(),
                    step.voids()))
            .toList());
  }

  private static Map<String, Object> withoutUnknown(Map<String, Object> map) {
    Map<String, Object> known = new HashMap<>(map);
    known.values().removeIf(value -> value instanceof Double number && !Double.isFinite(number));
    return known;
  }

  /** JSON has no NaN and no infinity. */
  private static final class KnownNumbers extends StdSerializer<Double> {

    KnownNumbers() {
      super(Double.class);
    }

    @Override
    public void serialize(Double value, JsonGenerator out, SerializationContext context) {
      if (Double.isFinite(value)) {
        out.writeNumber(value.doubleValue());
      } else {
        out.writeNull();
      }
    }
  }

  /** Only where a number is wanted: {@code Double} keeps null for "no meter". */
  private static final class NullIsNaN extends StdDeserializer<Double> {

    NullIsNaN() {
      super(double.class);
    }

    @Override
    public Double deserialize(JsonParser in, DeserializationContext context) {
      if (!in.currentToken().isNumeric()) {
        return (Double) context.handleUnexpectedToken(context.constructType(double.class), in);
      }
      return in.getDoubleValue();
    }

    @Override
    public Object getNullValue(DeserializationContext context) {
      return Double.NaN;
    }
  }
}
