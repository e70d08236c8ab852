package io.forebay.server.plugin;

import io.forebay.plugin.DeliveryPhase;
import io.forebay.plugin.Handler;
import io.forebay.plugin.OriginRequestPhase;
import io.forebay.plugin.OriginResponsePhase;
import io.forebay.plugin.RequestPhase;
import io.forebay.server.rule.Extension;
import io.forebay.server.rule.ExtensionCall;
import io.forebay.server.rule.RequestFacts;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Set;

/**
 * A plugin in one rule. It does not keep the handler alive: configurations of the past are kept for
 * comparisons, after their handlers are closed.
 *
 * @param number of the handler in the lease
 * @param handlerGroups those of the handler
 * @param isOpen what happens when it fails: whether the request goes on as if it had said nothing
 * @param origins that there are
 */
record PluginUse(
    String name,
    WeakReference<Lease> lease,
    int number,
    Phases phases,
    List<io.forebay.plugin.Group> handlerGroups,
    boolean isOpen,
    Set<String> origins,
    CallGuard guard)
    implements Extension {

  /** Which phases a handler has. */
  record Phases(boolean request, boolean originRequest, boolean originResponse, boolean delivery) {
    static Phases of(Handler handler) {
      return new Phases(
          handler instanceof RequestPhase,
          handler instanceof OriginRequestPhase,
          handler instanceof OriginResponsePhase,
          handler instanceof DeliveryPhase);
    }
  }

  @Override
  public List<Group> groups() {
    return handlerGroups.stream().map(group -> new Group(group.name(), group.origin())).toList();
  }

  @Override
  public boolean concernsHits() {
    return phases.request || phases.delivery;
  }

  @Override
  public boolean changesRequests() {
    return phases.originRequest;
  }

  /** What was fetched with a request that it failed to change is not stored. */
  @Override
  public boolean concernsStoring() {
    return phases.originResponse || phases.originRequest;
  }

  @Override
  public ExtensionCall ask(RequestFacts facts) {
    Lease held = lease.get();
    if (held == null) {
      throw new IllegalStateException("plugin " + name + " is asked after its configuration ended");
    }
    return PluginCall.begin(this, held, facts);
  }
}
