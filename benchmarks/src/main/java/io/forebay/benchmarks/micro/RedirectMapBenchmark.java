package io.forebay.benchmarks.micro;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.http.TargetUri;
import io.forebay.server.config.ConfigEnvironment;
import io.forebay.server.config.ConfigLoader;
import io.forebay.server.config.ConfigOutcome;
import io.forebay.server.rule.RedirectMap;
import io.forebay.server.runtime.RuntimeConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A redirect map by itself: a search that finds an entry, and one that finds none. And the loading
 * of configurations with many redirects and routes, with the heap that they take.
 */
public class RedirectMapBenchmark extends Bench {
  private static final int ASKED = 1024;

  /** A map and requests. */
  @State(Scope.Thread)
  public static class Loaded {
    @Param({"100", "100000"})
    int entries;

    private final RequestView[] known = new RequestView[ASKED];
    private final RequestView[] unknown = new RequestView[ASKED];
    private @Nullable RedirectMap map;
    private int next;

    @Setup
    public void fill() {
      RedirectMap.Builder builder = new RedirectMap.Builder(RedirectMap.By.PATH);
      for (int i = 0; i < entries; i++) {
        boolean isPrefix = i % 10 == 9;
        builder.add(
            isPrefix ? "/section-" + i + "/" : RedirectFiles.from(i),
            isPrefix,
            isPrefix ? "/news/section-" + i + "/:splat" : "/news/" + i + "/a-new-title",
            308);
      }
      RedirectMap built = builder.build();
      map = built;
      System.out.println(
          built.size() + " entries, " + (double) built.bytes() / built.size() + " bytes each");
      for (int i = 0; i < ASKED; i++) {
        int asked = (int) ((long) i * entries / ASKED) / 10 * 10;
        known[i] = request(RedirectFiles.from(asked));
        unknown[i] = request("/images/of/articles/" + i + "/a-title-of-some-length.jpg");
        if (built.find(known[i]) < 0 || built.find(unknown[i]) >= 0) {
          throw new IllegalStateException("request " + i);
        }
      }
    }

    private static RequestView request(String path) {
      return SyntheticRequest.of(
          "GET", new TargetUri("https", "www.example.com", path, null), HeaderFields.EMPTY);
    }

    int find(RequestView[] asked) {
      RedirectMap built = map;
      next = (next + 1) % ASKED;
      return built == null ? 0 : built.find(asked[next]);
    }
  }

  /** A configuration with a map and routes with rules. */
  @State(Scope.Thread)
  public static class Written {
    @Param({"0", "100000"})
    int entries;

    @Param({"0", "10000"})
    int routes;

    private Path map = Path.of("");
    private Path config = Path.of("");

    @Setup
    public void write() {
      map = RedirectFiles.write(entries);
      StringBuilder yaml =
          new StringBuilder(
              """
              origin: http://127.0.0.1:9
              rule-sets:
                all:
                  - {when: {header: {user-agent: "*bot*"}}, deny: 403}
                  - {response-headers: {set: {x-frame-options: DENY}, remove: [x-powered-by]}}
              routes:
                - {rules: [{use: all}, {redirect: {map: MAP}}]}
              """
                  .replace("MAP", map.toString()));
      for (int i = 0; i < routes; i++) {
        yaml.append("  - {match: {path: /r").append(i).append("/}, rules: [{use: all}]}\n");
      }
      try {
        config = Files.createTempFile("forebay-bench-", ".yaml");
        Files.writeString(config, yaml);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      long before = used();
      RuntimeConfig compiled = compiled();
      System.out.println(
          (used() - before) / 1024
              + " KiB of heap for "
              + compiled.config().routes().size()
              + " routes and "
              + entries
              + " redirects");
    }

    private static long used() {
      System.gc();
      return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    RuntimeConfig compiled() {
      return switch (new ConfigLoader(ConfigEnvironment.system()).load(config, Map.of())) {
        case ConfigOutcome.Loaded loaded -> RuntimeConfig.of(loaded.config());
        case ConfigOutcome.Refused refused ->
            throw new IllegalStateException(refused.problems().toString());
      };
    }

    @TearDown
    public void remove() {
      for (Path file : List.of(map, config)) {
        boolean ignored = file.toFile().delete();
      }
    }
  }

  @Benchmark
  public int found(Loaded loaded) {
    return loaded.find(loaded.known);
  }

  @Benchmark
  public int notFound(Loaded loaded) {
    return loaded.find(loaded.unknown);
  }

  /** Reads and compiles a configuration, in milliseconds. */
  @Benchmark
  @OutputTimeUnit(TimeUnit.MILLISECONDS)
  public RuntimeConfig load(Written written) {
    return written.compiled();
  }
}
