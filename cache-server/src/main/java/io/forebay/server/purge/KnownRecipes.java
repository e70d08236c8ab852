package io.forebay.server.purge;

import io.forebay.core.route.RouteTable;
import io.forebay.server.purge.RecipeFile.Known;
import io.forebay.storage.ObjectStore;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeFailedException;
import java.io.IOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The key recipes of all configurations by which something in the store may have its key, so that
 * purges by URL, host and prefix find it. A file beside the journal keeps them over restarts; a
 * recipe is in the file before the first response is stored by it.
 *
 * <p>At most {@value #MAX} distinct ones are kept. Above that, those go first of which nothing is
 * stored any more. If there are still too many, everything that is stored is purged, and only the
 * recipes of the old and of the new configuration stay.
 *
 * <p>Reading is for any thread; the rest blocks for the disk.
 */
public final class KnownRecipes {
  /** Distinct recipes that are kept. */
  static final int MAX = 50;

  private static final Logger LOG = LoggerFactory.getLogger(KnownRecipes.class);

  /** How long a look for the oldest object may take. */
  private static final Duration LOOK = Duration.ofSeconds(10);

  private final ObjectStore store;
  private final RecipeFile file;
  private final String storeName;
  private volatile List<HostRecipe> all = List.of();

  /** By recipe; 0 as long as a request of this process may store something by it. */
  private Map<HostRecipe, Long> untils = new LinkedHashMap<>();

  private Set<HostRecipe> inForce = Set.of();
  private boolean isFileDamaged;

  private KnownRecipes(ObjectStore store, RecipeFile file) {
    this.store = store;
    this.file = file;
    this.storeName = name(store.secret());
  }

  /**
   * Those that the file has, and those of the configuration of this start.
   *
   * @throws IOException when the file cannot be read or written
   */
  public static KnownRecipes open(Path data, ObjectStore store, RouteTable routes)
      throws IOException {
    KnownRecipes recipes = new KnownRecipes(store, new RecipeFile(data));
    recipes.read(data);
    recipes.announce(routes);
    return recipes;
  }

  private synchronized void read(Path data) throws IOException {
    List<Known> found = file.read(storeName);
    if (found == null) {
      purgeEverything(data.resolve(RecipeFile.NAME) + " is damaged");
      isFileDamaged = true;
      return;
    }
    // No request of an earlier process is under way: what they stored is older than this.
    long now = store.nextBirth();
    for (Known one : found) {
      untils.put(one.recipe(), one.until() > 0 ? one.until() : Math.max(0, now));
    }
  }

  /** What names the store, without its secret. */
  private static String name(byte[] secret) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(secret), 0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /**
   * Makes the recipes of a configuration known that is about to come into force.
   *
   * @throws IOException when that cannot be made durable: the configuration must not come into
   *     force
   */
  public synchronized void announce(RouteTable routes) throws IOException {
    Set<HostRecipe> next =
        routes.routes().stream()
            .map(HostRecipe::of)
            .filter(recipe -> !recipe.isDefault())
            .collect(Collectors.toSet());
    Map<HostRecipe, Long> kept = new LinkedHashMap<>(untils);
    next.forEach(recipe -> kept.put(recipe, 0L));
    drop(kept, store.stats().purgeFloor());
    if (kept.size() > MAX) {
      drop(kept, oldestBirth());
    }
    if (kept.size() > MAX) {
      purgeEverything("more than " + MAX + " key recipes of earlier configurations are in use");
      kept.keySet().removeIf(recipe -> !next.contains(recipe) && !inForce.contains(recipe));
    }
    if (isFileDamaged || !kept.equals(untils)) {
      List<Known> known = new ArrayList<>();
      kept.forEach((recipe, until) -> known.add(new Known(recipe, until)));
      file.write(storeName, known);
      isFileDamaged = false;
    }
    untils = kept;
    inForce = next;
    all = List.copyOf(kept.keySet());
  }

  /** Forgets those by which nothing was stored at this birth or after it. */
  private static void drop(Map<HostRecipe, Long> recipes, long birth) {
    recipes.values().removeIf(until -> until > 0 && until <= birth);
  }

  private long oldestBirth() {
    try {
      return store.inspection().ask(LOOK, inspector -> inspector.oldestBirth());
    } catch (IOException e) {
      LOG.warn("the oldest stored object is not known: {}", e.getMessage());
      return 0;
    }
  }

  private void purgeEverything(String why) throws IOException {
    LOG.warn("{}: all stored objects count as purged", why);
    try {
      long ignored = store.purge(Purge.everything(false, why)).sequence();
    } catch (PurgeFailedException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /** All of them. */
  List<HostRecipe> all() {
    return all;
  }
}
