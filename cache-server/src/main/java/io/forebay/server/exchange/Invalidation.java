package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.TargetUri;
import io.forebay.core.policy.InvalidationPolicy;
import io.forebay.core.route.Route;
import io.forebay.server.cluster.purge.GroupInvalidations;
import io.forebay.server.fill.FillContext;
import io.forebay.server.peer.PeerRouter;
import io.forebay.server.purge.CacheGroup;
import io.forebay.server.runtime.RuntimeConfig;
import java.util.List;

/**
 * Invalidates stored responses after a client's unsafe request (RFC 9111 §4.4, RFC 9875 §3), if
 * both the route of the request and the route of the stored response allow it.
 */
final class Invalidation {
  private Invalidation() {}

  /**
   * Invalidates it.
   *
   * @param isReplaced whether all that is stored for the request's own URL has been invalidated in
   *     favour of the response
   */
  static void apply(
      ExchangeContext context,
      ClientRequest unsafe,
      int status,
      HeaderFields fields,
      boolean isReplaced) {
    if (!unsafe.route().settings().clientInvalidation()) {
      return;
    }
    FillContext loop = context.filling();
    RequestView request = unsafe.view();
    List<TargetUri> targets = InvalidationPolicy.invalidated(request, status, fields);
    for (TargetUri target : targets) {
      Route route = unsafe.config().routes().match(target.authority(), target.path());
      if (route != null
          && route.settings().clientInvalidation()
          && build(loop, request, target, route)) {
        PeerRouter peers = loop.peers();
        if (peers != null && route.sharing().withPeers()) {
          // Before it is gone here: from then on nobody brings it back from another node.
          peers.forget(target, route.keyRecipe());
        }
        long hi = loop.keys().hi();
        long lo = loop.keys().lo();
        if (isReplaced && target.equals(TargetUri.of(request))) {
          // The rest is dead; what is found by this key can be forgotten at once.
          boolean ignored = loop.lane().invalidate(hi, lo);
        } else {
          loop.lane().invalidate(hi, lo, loop.scopes().exact(target, route.keyRecipe()));
        }
        if (route.keyRecipe().hasSearchRules()
            && loop.keys().buildSearchRule(target, route.keyRecipe())) {
          // The rule itself goes, too, so that what it leads to is not found meanwhile.
          loop.lane()
              .invalidate(
                  loop.keys().hi(),
                  loop.keys().lo(),
                  loop.scopes().search(target, route.keyRecipe()));
        }
      }
    }
    for (String group : InvalidationPolicy.invalidatedGroups(request, status, fields)) {
      invalidateGroup(context, unsafe, group);
    }
  }

  /**
   * Invalidates a group of the request's origin, here at once and on other nodes by the log of
   * purges. Beyond the bounds on what clients may invalidate its responses expire by themselves:
   * the RFC asks for none.
   */
  private static void invalidateGroup(ExchangeContext context, ClientRequest unsafe, String name) {
    FillContext loop = context.filling();
    Route route = unsafe.route();
    TargetUri target = TargetUri.of(unsafe.view());
    TargetUri stored = route.keyRecipe().url().canonical(target);
    boolean ignored = loop.lane().invalidateScope(loop.scopes().group(target, name));
    if (!stored.equals(target)) {
      ignored = loop.lane().invalidateScope(loop.scopes().group(stored, name));
    }
    GroupInvalidations groups = context.groups();
    if (groups != null && route.sharing().withPeers()) {
      groups.add(CacheGroup.of(target, name));
    }
  }

  /** Forgets what is stored for a URL, because another node forwarded an unsafe request. */
  static void forget(FillContext loop, RuntimeConfig config, TargetUri target) {
    Route route = config.routes().match(target.authority(), target.path());
    if (route != null
        && route.settings().clientInvalidation()
        && loop.keys().build(target, route.keyRecipe())) {
      loop.lane()
          .invalidate(
              loop.keys().hi(), loop.keys().lo(), loop.scopes().exact(target, route.keyRecipe()));
    }
  }

  /** Of the request's own URL the very key that it would be looked up by. */
  private static boolean build(
      FillContext loop, RequestView request, TargetUri target, Route route) {
    return target.equals(TargetUri.of(request))
        ? loop.keys().build(request, route.keyRecipe())
        : loop.keys().build(target, route.keyRecipe());
  }
}
