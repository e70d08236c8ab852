package io.forebay.server.purge;

import io.forebay.core.key.NamePatterns;
import io.forebay.core.key.QueryRecipe;
import io.forebay.core.key.UrlRecipe;
import io.forebay.storage.file.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The file of {@link KnownRecipes} in the data directory, as JSON. The caller owns the lock of the
 * directory; one thread at a time.
 */
final class RecipeFile {
  static final String NAME = "key-recipes.json";

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int MAX_BYTES = 64 << 20;

  private final Path directory;

  /**
   * A recipe in the file.
   *
   * @param until a number of the store's sequence: what was stored by the recipe is older; 0 where
   *     that cannot be said yet
   */
  record Known(HostRecipe recipe, long until) {}

  /** The file of a data directory. */
  RecipeFile(Path directory) {
    this.directory = directory;
  }

  /**
   * What it has; null where it is damaged. Nothing where it was written for another store.
   *
   * @param store names the store
   * @throws IOException when it cannot be read
   */
  @Nullable List<Known> read(String store) throws IOException {
    Path file = directory.resolve(NAME);
    if (!PrivateFiles.exists(file)) {
      return List.of();
    }
    try (FileChannel in = PrivateFiles.openToRead(file)) {
      if (in.size() > MAX_BYTES) {
        return null;
      }
      ByteBuffer buffer = ByteBuffer.allocate((int) in.size());
      while (buffer.hasRemaining() && in.read(buffer) >= 0) {
        Thread.onSpinWait();
      }
      byte[] bytes = new byte[buffer.flip().remaining()];
      buffer.get(bytes);
      return parse(bytes, store);
    } catch (JacksonException | IllegalArgumentException e) {
      return null;
    }
  }

  private static @Nullable List<Known> parse(byte[] bytes, String store) {
    JsonNode read = JSON.readTree(bytes);
    if (!read.path("store").isString() || !read.path("recipes").isArray()) {
      return null;
    }
    List<Known> all = new ArrayList<>();
    if (read.path("store").asString().equals(store)) {
      for (JsonNode one : read.path("recipes")) {
        all.add(known(one));
      }
    }
    return all;
  }

  private static Known known(JsonNode from) {
    JsonNode query = from.required("query");
    JsonNode fixedHost = from.path("fixedHost");
    UrlRecipe url =
        new UrlRecipe(
            fixedHost.isString() ? fixedHost.asString() : null,
            flag(from, "port"),
            flag(from, "scheme"),
            flag(from, "folded"),
            new QueryRecipe(
                flag(query, "ignored"),
                flag(query, "sorted"),
                patterns(query.required("strip")),
                patterns(query.required("keep"))));
    return new Known(
        new HostRecipe(from.required("host").asString(), url, flag(from, "searchRules")),
        from.required("until").asLong());
  }

  private static boolean flag(JsonNode node, String name) {
    return node.required(name).asBoolean();
  }

  private static NamePatterns patterns(JsonNode names) {
    List<String> all = new ArrayList<>();
    names.forEach(name -> all.add(name.asString()));
    return new NamePatterns(all);
  }

  /** Replaces what it has; when this returns, a loss of power does not undo it. */
  void write(String store, List<Known> recipes) throws IOException {
    ObjectNode root = JSON.createObjectNode().put("store", store);
    ArrayNode all = root.putArray("recipes");
    recipes.forEach(one -> put(all.addObject(), one));
    Path made = directory.resolve(NAME + ".new");
    try (FileChannel out = PrivateFiles.createNew(made)) {
      ByteBuffer bytes = ByteBuffer.wrap((root + "\n").getBytes(StandardCharsets.UTF_8));
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
      out.force(true);
    }
    Files.move(made, directory.resolve(NAME), StandardCopyOption.ATOMIC_MOVE);
    PrivateFiles.forceNames(directory);
  }

  private static void put(ObjectNode to, Known known) {
    UrlRecipe url = known.recipe().url();
    to.put("host", known.recipe().hostPattern())
        .put("searchRules", known.recipe().hasSearchRules())
        .put("fixedHost", url.host())
        .put("port", url.hasPort())
        .put("scheme", url.hasScheme())
        .put("folded", url.isFolded())
        .put("until", known.until());
    ObjectNode query = to.putObject("query");
    query.put("ignored", url.query().isIgnored()).put("sorted", url.query().isSorted());
    ArrayNode strip = query.putArray("strip");
    url.query().strip().patterns().forEach(strip::add);
    ArrayNode keep = query.putArray("keep");
    url.query().keep().patterns().forEach(keep::add);
  }
}
