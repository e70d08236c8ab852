package io.forebay.lab.run;

import io.forebay.lab.scenario.ObjectRow;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Fills caches before a load. */
@FunctionalInterface
interface Warmer {

  /**
   * Fetches every file of every object once from every server, in parallel.
   *
   * @param trust PEM file of the authority, or null for plain HTTP
   * @throws IOException when a request failed
   */
  void warm(List<URI> servers, List<ObjectRow> objects, @Nullable Path trust)
      throws IOException, InterruptedException;
}
