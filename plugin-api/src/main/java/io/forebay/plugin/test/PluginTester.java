package io.forebay.plugin.test;

import io.forebay.plugin.ClientRequest;
import io.forebay.plugin.DeliveryPhase;
import io.forebay.plugin.FieldEdits;
import io.forebay.plugin.Handler;
import io.forebay.plugin.OriginRequestEdits;
import io.forebay.plugin.OriginRequestPhase;
import io.forebay.plugin.OriginResponsePhase;
import io.forebay.plugin.Plugin;
import io.forebay.plugin.PluginConfig;
import io.forebay.plugin.PluginConfigException;
import io.forebay.plugin.PluginContract;
import io.forebay.plugin.RequestDecision;
import io.forebay.plugin.RequestPhase;
import io.forebay.plugin.Response;
import io.forebay.plugin.StoreDecision;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A handler of a plugin for one configuration, called as a node calls it. A phase that the handler
 * does not have changes nothing, as in a node; what a node would not take throws.
 */
public final class PluginTester implements AutoCloseable {
  private final Handler handler;

  private PluginTester(Handler handler) {
    this.handler = handler;
  }

  /**
   * A handler.
   *
   * @param config a text for each key
   * @throws PluginConfigException where a node would refuse the configuration
   */
  public static PluginTester of(Plugin plugin, Map<String, String> config)
      throws PluginConfigException {
    Map<String, List<String>> lists = new HashMap<>();
    config.forEach((key, value) -> lists.put(key, List.of(value)));
    return of(plugin, new PluginConfig(lists));
  }

  /** The same where keys have lists of texts. */
  public static PluginTester of(Plugin plugin, PluginConfig config) throws PluginConfigException {
    String ignored = PluginContract.name(plugin.getClass());
    Handler made = plugin.handler(config);
    Set<String> unknown = new TreeSet<>(config.givenKeys());
    unknown.removeAll(config.knownKeys());
    if (!unknown.isEmpty()) {
      made.close();
      throw new PluginConfigException(unknown.iterator().next(), "unknown key");
    }
    PluginContract.groups(made);
    return new PluginTester(made);
  }

  /** What becomes of a request. */
  public RequestDecision onRequest(ClientRequest request) {
    if (!(handler instanceof RequestPhase phase)) {
      return RequestDecision.proceed();
    }
    RequestDecision decision = phase.onRequest(request);
    if (decision instanceof RequestDecision.Proceed proceed) {
      int ignored = PluginContract.groupNumber(PluginContract.groups(handler), proceed);
    }
    return decision;
  }

  /**
   * What the origin is asked.
   *
   * @param group that the request is in; empty for none
   */
  public OriginRequestEdits onOriginRequest(TestRequest request, String group) {
    return handler instanceof OriginRequestPhase phase
        ? phase.onOriginRequest(request.inGroup(group))
        : OriginRequestEdits.NONE;
  }

  /** How a response is stored. */
  public StoreDecision onOriginResponse(Response response) {
    return handler instanceof OriginResponsePhase phase
        ? phase.onOriginResponse(response)
        : StoreDecision.AS_USUAL;
  }

  /** What the client gets. */
  public FieldEdits onDelivery(ClientRequest request, Response response) {
    return handler instanceof DeliveryPhase phase
        ? PluginContract.delivered(phase.onDelivery(request, response))
        : FieldEdits.NONE;
  }

  @Override
  public void close() {
    handler.close();
  }
}
