package io.forebay.server.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The result of loading a configuration: the whole configuration, or all problems. */
public sealed interface ConfigOutcome {

  /**
   * An accepted configuration.
   *
   * @param file the file read, or null when there was none
   * @param text of that file and of those that it includes
   * @param files what files had that its values name
   * @param sources where each value that is no default came from, by key path
   * @param warnings what looks like a mistake but changes nothing, a line each
   */
  record Loaded(
      ServerConfig config,
      @Nullable Path file,
      ConfigText text,
      ReadFiles files,
      Map<String, String> sources,
      List<String> warnings)
      implements ConfigOutcome {}

  /** Nothing was accepted. */
  record Refused(List<ConfigProblem> problems) implements ConfigOutcome {}
}
