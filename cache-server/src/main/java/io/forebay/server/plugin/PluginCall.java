package io.forebay.server.plugin;

import io.forebay.core.http.FieldsView;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.TargetNormalizer;
import io.forebay.core.route.ResponseOverrides;
import io.forebay.core.route.UpstreamEdits;
import io.forebay.plugin.DeliveryPhase;
import io.forebay.plugin.Handler;
import io.forebay.plugin.OriginRequestEdits;
import io.forebay.plugin.OriginRequestPhase;
import io.forebay.plugin.OriginResponsePhase;
import io.forebay.plugin.PluginContract;
import io.forebay.plugin.RequestDecision;
import io.forebay.plugin.RequestPhase;
import io.forebay.plugin.StoreDecision;
import io.forebay.server.rule.ExtensionCall;
import io.forebay.server.rule.FieldEdits;
import io.forebay.server.rule.LocalAnswer;
import io.forebay.server.rule.RequestFacts;
import io.forebay.server.rule.ResponseHead;
import io.forebay.server.rule.RuleActions;
import io.forebay.server.rule.Template;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A plugin and one request: calls the handler phase by phase, and turns failures into outcomes. */
final class PluginCall implements ExtensionCall {
  private static final FieldEdits NO_EDITS = new FieldEdits(List.of(), List.of(), List.of());
  private static final RuleActions NOTHING = RuleActions.ofRequest(false, null, null);
  private static final ResponseOverrides NOT_STORED = new ResponseOverrides(null, null, null, true);

  private final PluginUse use;

  /** Held for as long as this call may need the handler. */
  private final Lease lease;

  private final RequestFacts facts;
  private final Decided decided;
  private final @Nullable String failure;

  /** The origin was asked without what the plugin would have changed. */
  private volatile boolean isUnchanged;

  /** What it says of the request. */
  private record Decided(RuleActions actions, int group) {}

  private PluginCall(
      PluginUse use, Lease lease, RequestFacts facts, Decided decided, @Nullable String failure) {
    this.use = use;
    this.lease = lease;
    this.facts = facts;
    this.decided = decided;
    this.failure = failure;
  }

  /** Asks about a request, if the handler has that phase. */
  static PluginCall begin(PluginUse use, Lease lease, RequestFacts facts) {
    if (!use.phases().request()) {
      return new PluginCall(use, lease, facts, new Decided(NOTHING, 0), null);
    }
    RequestPhase phase = (RequestPhase) lease.handler(use.number());
    try {
      Decided decided =
          use.guard()
              .run("request", () -> decided(use, phase.onRequest(new Views.OfClient(facts))));
      return new PluginCall(use, lease, facts, decided, null);
    } catch (PluginFailureException e) {
      RuleActions instead =
          use.isOpen()
              ? NOTHING
              : RuleActions.ofAnswer(
                  new LocalAnswer.Deny(503, "the request could not be checked; try again later"));
      return new PluginCall(
          use,
          lease,
          facts,
          new Decided(instead, 0),
          e.getMessage() + (use.isOpen() ? "; the rule fails open" : "; the rule fails closed"));
    }
  }

  private static @Nullable Decided decided(PluginUse use, @Nullable RequestDecision decision) {
    return switch (decision) {
      case null -> null;
      case RequestDecision.Deny deny -> answer(new LocalAnswer.Deny(deny.status(), deny.text()));
      case RequestDecision.Redirect redirect ->
          answer(new LocalAnswer.Redirect(redirect.status(), literal(redirect.location())));
      case RequestDecision.Respond respond -> {
        HeaderFields.Builder fields = HeaderFields.builder();
        respond.fields().forEach(line -> fields.add(line.name(), line.value()));
        yield answer(
            new LocalAnswer.Respond(respond.status(), fields.build(), respond.body().clone()));
      }
      case RequestDecision.Proceed proceed -> {
        int group = PluginContract.groupNumber(use.handlerGroups(), proceed);
        String origin = proceed.passedTo().orElse(null);
        if (origin != null && !use.origins().contains(origin)) {
          throw new IllegalArgumentException("there is no origin named " + origin);
        }
        if (origin == null && group > 0) {
          origin = use.handlerGroups().get(group - 1).origin().orElse(null);
        }
        yield new Decided(
            RuleActions.ofRequest(proceed.passes(), origin, edits(proceed.responseFields())),
            group);
      }
    };
  }

  private static Decided answer(LocalAnswer answer) {
    return new Decided(RuleActions.ofAnswer(answer), 0);
  }

  private static Template literal(String text) {
    return Template.of(text.replace("$", "$$"));
  }

  private static FieldEdits edits(io.forebay.plugin.FieldEdits edits) {
    return edits.equals(io.forebay.plugin.FieldEdits.NONE)
        ? NO_EDITS
        : new FieldEdits(lines(edits.set()), lines(edits.added()), edits.removed());
  }

  private static List<FieldEdits.Line> lines(List<io.forebay.plugin.FieldEdits.Line> lines) {
    return lines.stream()
        .map(line -> new FieldEdits.Line(line.name(), literal(line.value())))
        .toList();
  }

  private Handler handler() {
    return lease.handler(use.number());
  }

  @Override
  public RuleActions actions() {
    return decided.actions();
  }

  @Override
  public int group() {
    return decided.group();
  }

  @Override
  public @Nullable String failure() {
    return failure;
  }

  @Override
  public UpstreamEdits.Edited edited(RequestView request, UpstreamEdits.Edited before) {
    if (!use.phases().originRequest()) {
      return before;
    }
    OriginRequestPhase phase = (OriginRequestPhase) handler();
    String group = group() == 0 ? "" : use.handlerGroups().get(group() - 1).name();
    try {
      return use.guard()
          .run(
              "origin request",
              () ->
                  changed(
                      request,
                      before,
                      phase.onOriginRequest(new Views.OfOrigin(request, before, group))));
    } catch (PluginFailureException e) {
      isUnchanged = true;
      return use.isOpen()
          ? before
          : new UpstreamEdits.Edited(UpstreamEdits.Edited.NOT_SENT, before.fields());
    }
  }

  private static UpstreamEdits.@Nullable Edited changed(
      RequestView request, UpstreamEdits.Edited before, @Nullable OriginRequestEdits edits) {
    if (edits == null) {
      return null;
    }
    String target = edits.target().map(PluginCall::normalized).orElse(before.target());
    HeaderFields fields = edits(edits.fields()).edited(before.fields(), request, null);
    return new UpstreamEdits.Edited(target, fields);
  }

  private static String normalized(String target) {
    if (TargetNormalizer.normalize(target, "GET") instanceof TargetNormalizer.Accepted accepted
        && accepted.authority() == null) {
      return accepted.query() == null ? accepted.path() : accepted.path() + "?" + accepted.query();
    }
    throw new IllegalArgumentException("not a path: " + target);
  }

  @Override
  public ResponseOverrides ofResponse(int status, FieldsView response) {
    if (isUnchanged) {
      return NOT_STORED;
    }
    if (!use.phases().originResponse()) {
      return ResponseOverrides.NONE;
    }
    OriginResponsePhase phase = (OriginResponsePhase) handler();
    try {
      return use.guard()
          .run(
              "origin response",
              () -> overrides(phase.onOriginResponse(new Views.OfResponse(status, response))));
    } catch (PluginFailureException e) {
      return use.isOpen() ? ResponseOverrides.NONE : NOT_STORED;
    }
  }

  private static @Nullable ResponseOverrides overrides(@Nullable StoreDecision decision) {
    return decision == null
        ? null
        : new ResponseOverrides(
            decision.ttl().orElse(null),
            decision.grace().orElse(null),
            decision.staleIfError().orElse(null),
            !decision.isStored());
  }

  @Override
  public @Nullable FieldEdits delivered(ResponseHead head) {
    if (!use.phases().delivery()) {
      return NO_EDITS;
    }
    DeliveryPhase phase = (DeliveryPhase) handler();
    try {
      return use.guard()
          .run(
              "delivery",
              () -> {
                io.forebay.plugin.FieldEdits said =
                    phase.onDelivery(new Views.OfClient(facts), new Views.OfHead(head));
                return said == null ? null : edits(PluginContract.delivered(said));
              });
    } catch (PluginFailureException e) {
      return use.isOpen() ? NO_EDITS : null;
    }
  }
}
