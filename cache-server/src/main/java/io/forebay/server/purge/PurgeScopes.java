package io.forebay.server.purge;

import io.forebay.core.http.AuthorityNormalizer;
import io.forebay.core.http.TargetUri;
import io.forebay.core.key.KeyRecipe;
import io.forebay.core.key.PurgeUrl;
import io.forebay.core.key.Scopes;
import io.forebay.core.key.UrlRecipe;
import io.forebay.core.route.Route;
import io.forebay.core.route.RouteTable;
import io.forebay.server.purge.PurgeOrder.Reach;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Converts purge orders into scopes by the routes in force, and by the recipes of earlier
 * configurations: an object is named by every URL, host and prefix whose requests have its key. A
 * purge of one host therefore includes what it shares with others: possibly more than ordered,
 * never less. Belongs to one thread.
 */
public final class PurgeScopes {

  private final RouteTable routes;
  private final List<HostRecipe> known;
  private final Scopes scopes;

  /**
   * Scopes of purges.
   *
   * @param routes in force
   * @param known recipes by which something may be stored
   */
  public PurgeScopes(RouteTable routes, KnownRecipes known, Scopes scopes) {
    this.routes = routes;
    this.known = known.all();
    this.scopes = scopes;
  }

  /**
   * The scopes of a URL, or of two (http and https) when it has no scheme, and of those that it
   * stands for besides. With the route's recipe go those of earlier configurations, and the default
   * one, which may have been in force at any time.
   *
   * @throws IllegalArgumentException when no request can be for it
   */
  public long[] url(String url, Reach reach) {
    PurgeUrl parsed = PurgeUrl.parse(url);
    if (parsed == null) {
      throw new IllegalArgumentException("not a URL that can be requested here: " + url);
    }
    Set<Long> all = new LinkedHashSet<>();
    Set<TargetUri> targets = new LinkedHashSet<>(parsed.targets());
    if (reach != Reach.AS_WRITTEN) {
      parsed.targets().forEach(target -> targets.add(withOtherScheme(target)));
    }
    if (reach == Reach.ANY_PORT) {
      // Of what was stored before there was a scope for this, the default ports at least.
      for (TargetUri target : List.copyOf(targets)) {
        targets.add(
            new TargetUri(
                target.scheme(),
                AuthorityNormalizer.host(target.authority()),
                target.path(),
                target.query()));
        anywhere(all, target);
      }
    }
    for (TargetUri target : targets) {
      Route route = routes.match(target.authority(), target.path());
      if (route != null) {
        all.add(scopes.exact(target, route.keyRecipe()));
        if (route.keyRecipe().hasSearchRules()) {
          all.add(scopes.search(target, route.keyRecipe()));
        }
      }
      all.add(scopes.exact(target, KeyRecipe.DEFAULT));
      for (HostRecipe recipe : known) {
        if (recipe.mayServe(target.authority())) {
          addKnown(all, target, recipe);
        }
      }
    }
    return longs(all);
  }

  private void addKnown(Set<Long> all, TargetUri target, HostRecipe recipe) {
    try {
      all.add(scopes.exact(target, recipe.keyRecipe()));
      if (recipe.hasSearchRules()) {
        all.add(scopes.search(target, recipe.keyRecipe()));
      }
    } catch (IllegalArgumentException e) {
      // By this recipe the key is too long: nothing can be stored under it.
      return;
    }
  }

  /** By the recipe of every route that may serve the host, on whatever port. */
  private void anywhere(Set<Long> all, TargetUri target) {
    all.add(scopes.anywhere(target, UrlRecipe.WHOLE));
    all.add(scopes.searchAnywhere(target, UrlRecipe.WHOLE));
    for (UrlRecipe recipe : recipesFor(target.authority())) {
      all.add(scopes.anywhere(target, recipe));
      all.add(scopes.searchAnywhere(target, recipe));
    }
  }

  private static TargetUri withOtherScheme(TargetUri target) {
    String scheme = target.scheme().equals("https") ? "http" : "https";
    String authority = AuthorityNormalizer.normalize(target.authority(), scheme);
    return new TargetUri(
        scheme, authority == null ? target.authority() : authority, target.path(), target.query());
  }

  /** The scopes of a host, with or without a port. */
  public long[] host(String host) {
    Set<Long> all = new LinkedHashSet<>();
    add(all, new long[] {scopes.host(host)});
    for (UrlRecipe recipe : recipesFor(host)) {
      add(all, scopes.host(host, recipe));
    }
    return longs(all);
  }

  /** The scopes of everything below a URL. */
  public long[] prefix(String url) {
    PurgeUrl parsed = PurgeUrl.parse(url);
    Set<Long> all = new LinkedHashSet<>();
    add(all, scopes.prefix(url));
    if (parsed != null) {
      for (TargetUri target : parsed.targets()) {
        for (UrlRecipe recipe : recipesFor(target.authority())) {
          add(all, scopes.prefix(url, recipe));
        }
      }
    }
    return longs(all);
  }

  /**
   * The scopes of a group. A route may store the responses of several hosts as those of one, whose
   * groups they then have.
   */
  public long[] group(CacheGroup group) {
    Set<Long> all = new LinkedHashSet<>();
    all.add(scopes.group(group.origin(), group.name()));
    for (UrlRecipe recipe : recipesFor(group.origin().authority())) {
      all.add(scopes.group(recipe.canonical(group.origin()), group.name()));
    }
    return longs(all);
  }

  /** The scopes of a tag. */
  public long[] tag(String tag) {
    return scopes.tagPurge(tag);
  }

  /** Of the routes that may take requests for a host, or might earlier, each recipe once. */
  private Set<UrlRecipe> recipesFor(String authority) {
    Set<UrlRecipe> recipes = new LinkedHashSet<>();
    for (HostRecipe recipe : known) {
      if (recipe.mayServe(authority)) {
        recipes.add(recipe.url());
      }
    }
    for (Route route : routes.routes()) {
      if (!route.keyRecipe().isUrlWhole() && route.mayServe(authority)) {
        recipes.add(route.keyRecipe().url());
      }
    }
    return recipes;
  }

  private static void add(Set<Long> all, long[] some) {
    for (long scope : some) {
      all.add(scope);
    }
  }

  private static long[] longs(Set<Long> all) {
    return List.copyOf(all).stream().mapToLong(Long::longValue).toArray();
  }
}
