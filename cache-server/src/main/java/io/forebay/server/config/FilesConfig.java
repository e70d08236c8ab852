package io.forebay.server.config;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An origin that answers with the files below a directory.
 *
 * @param index name of the file that stands for a directory, or null for none
 * @param isHiddenServed whether names that begin with a dot are served
 * @param types further media types, each {@code EXTENSION=TYPE}
 * @param cacheControl value of Cache-Control, or null for none
 * @param precompressed codings of siblings that are sent in place of files, the preferred first
 */
public record FilesConfig(
    Path directory,
    @Nullable String index,
    boolean isHiddenServed,
    List<String> types,
    @Nullable String cacheControl,
    List<String> precompressed) {

  /** Without siblings. */
  public FilesConfig(
      Path directory,
      @Nullable String index,
      boolean isHiddenServed,
      List<String> types,
      @Nullable String cacheControl) {
    this(directory, index, isHiddenServed, types, cacheControl, List.of());
  }
}
