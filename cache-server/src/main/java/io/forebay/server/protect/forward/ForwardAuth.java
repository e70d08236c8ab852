package io.forebay.server.protect.forward;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import io.forebay.server.config.ForwardAuthConfig;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.call.OriginClient;
import io.forebay.server.origin.call.OriginRequest;
import io.netty.channel.EventLoop;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks an origin whether requests are admitted, by a request without their content. One per event
 * loop, which confines it; nothing blocks.
 */
public final class ForwardAuth {
  private final ForwardVerdicts verdicts;
  private final OriginClient origins;
  private final EventLoop eventLoop;

  /**
   * For one loop.
   *
   * @param verdicts of the node
   * @param origins of the loop
   */
  public ForwardAuth(ForwardVerdicts verdicts, OriginClient origins, EventLoop eventLoop) {
    this.verdicts = verdicts;
    this.origins = origins;
    this.eventLoop = eventLoop;
  }

  /**
   * Asks for a verdict.
   *
   * @param query of the request, without credentials
   * @param isTrusted whether the peer may name its client
   * @param whenKnown told the verdict on any thread, where it is not known now
   * @return the verdict, or null where it has to be awaited
   */
  public @Nullable ForwardVerdict ask(
      ForwardRule rule,
      RequestView request,
      @Nullable CharSequence query,
      ClientInfo client,
      boolean isTrusted,
      Consumer<ForwardVerdict> whenKnown) {
    String key = rule.key(request);
    if (key == null) {
      return begin(
              rule,
              request,
              query,
              client,
              isTrusted,
              (verdict, nanos) -> {
                whenKnown.accept(verdict);
              })
          ? null
          : new ForwardVerdict.TooMany();
    }
    HeaderFields known = verdicts.remembered(key);
    if (known != null) {
      return new ForwardVerdict.Admitted(known);
    }
    return switch (verdicts.join(key, whenKnown)) {
      case JOINED -> null;
      case FULL -> new ForwardVerdict.TooMany();
      case FIRST -> {
        // It may have become known a moment ago.
        HeaderFields late = verdicts.remembered(key);
        if (late != null) {
          verdicts.settled(key, new ForwardVerdict.Admitted(late), 0);
        } else if (!begin(
            rule,
            request,
            query,
            client,
            isTrusted,
            (verdict, nanos) -> verdicts.settled(key, verdict, nanos))) {
          verdicts.settled(key, new ForwardVerdict.TooMany(), 0);
        }
        yield null;
      }
    };
  }

  private boolean begin(
      ForwardRule rule,
      RequestView request,
      @Nullable CharSequence query,
      ClientInfo client,
      boolean isTrusted,
      Subrequest.Outcome outcome) {
    if (!verdicts.begin()) {
      return false;
    }
    ForwardAuthConfig config = rule.config();
    OriginRequest asked =
        new OriginRequest(
            config.method(),
            config.path(),
            fields(rule, request, query, client, isTrusted),
            RequestBody.NONE);
    new Subrequest(config, verdicts, eventLoop, outcome).send(origins, asked);
    return true;
  }

  private static HeaderFields fields(
      ForwardRule rule,
      RequestView request,
      @Nullable CharSequence query,
      ClientInfo client,
      boolean isTrusted) {
    String uri = query == null ? request.path() : request.path() + "?" + query;
    HeaderFields.Builder fields = HeaderFields.builder();
    fields.add("host", rule.host() == null ? request.authority() : rule.host());
    for (String name : rule.config().requestFields()) {
      request.fields().all(name).forEach(value -> fields.add(name, value));
    }
    String named = isTrusted ? request.fields().combined("x-forwarded-for") : null;
    fields.add(
        "x-forwarded-for", named == null ? client.address() : named + ", " + client.address());
    fields.add("x-forwarded-method", request.method());
    fields.add("x-forwarded-proto", request.scheme());
    fields.add("x-forwarded-host", request.authority());
    fields.add("x-forwarded-uri", uri);
    fields.add("x-original-method", request.method());
    fields.add("x-original-url", request.scheme() + "://" + request.authority() + uri);
    String passed = request.fields().combined("cdn-loop");
    fields.add("cdn-loop", passed == null ? rule.nodeId() : passed + ", " + rule.nodeId());
    return fields.build();
  }
}
