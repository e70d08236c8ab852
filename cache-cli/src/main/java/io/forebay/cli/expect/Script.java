package io.forebay.cli.expect;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Expectations of a configuration.
 *
 * @param config the configuration that the script names, or null
 * @param environment variables besides those of the process
 * @param settings keys of the configuration that have other values here
 * @param start what the node's clock reads at first, or null for now
 * @param answer of origins, where the step has none
 * @param answers the same by name of the origin or of one of its servers
 * @param origins every name of an origin in the script, where it stands
 */
record Script(
    Path file,
    @Nullable Path config,
    Map<String, String> environment,
    Map<String, String> settings,
    @Nullable Instant start,
    List<ScriptedAnswer> answer,
    Map<String, List<ScriptedAnswer>> answers,
    List<Step> steps,
    List<Expectation.Value<String>> origins) {}
