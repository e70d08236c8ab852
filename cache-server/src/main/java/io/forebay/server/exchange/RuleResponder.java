package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.HttpDate;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.WireRequest;
import io.forebay.core.policy.CacheStatus;
import io.forebay.core.policy.ProxyError;
import io.forebay.core.policy.Reason;
import io.forebay.core.route.Route;
import io.forebay.server.config.LogSampling;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.fairness.ClientNetwork;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.http.ResponseSink;
import io.forebay.server.network.IpAddress;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.server.pacing.Pacing;
import io.forebay.server.response.HeadLines;
import io.forebay.server.response.HeadWriter;
import io.forebay.server.rule.Condition;
import io.forebay.server.rule.LocalAnswer;
import io.forebay.server.rule.RequestFacts;
import io.forebay.server.rule.RouteRules;
import io.forebay.server.rule.RuleOutcome;
import io.forebay.server.runtime.RuntimeConfig;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/** Asks the rules of a route about a request, and answers where one of them does. */
final class RuleResponder {
  private RuleResponder() {}

  /**
   * Gives the request what the rules of its route say.
   *
   * @return the step that follows where a rule answers, or null when the request goes on
   */
  static @Nullable Step answer(
      ExchangeContext loop, ClientRequest request, ClientResponse response, Continuation exchange) {
    RouteRules rules = request.config().rules(request.route());
    if (rules == null) {
      pace(request, response, null);
      request.hideRemovedFields();
      return null;
    }
    RequestView received = request.view();
    RequestFacts facts =
        new RequestFacts()
            .of(received, request.client(), address(request), loop.nowMillis())
            .on(request.route().name());
    RuleOutcome outcome = rules.of(facts, loop.counters().ruleErrors);
    request.rules(outcome);
    pace(request, response, outcome);
    request.route(request.config().ruled(request.route(), outcome));
    request.hideRemovedFields();
    mirrorAll(loop, request, outcome);
    return switch (outcome.answer()) {
      case null -> null;
      case LocalAnswer.Deny deny ->
          exchange.refuse(
              deny.status(), deny.text(), Reason.RULE_DENY, ProxyError.HTTP_REQUEST_DENIED);
      case LocalAnswer.Redirect redirect ->
          respond(
              loop,
              request,
              response,
              redirect.status(),
              HeaderFields.of("location", redirect.to().url(received, outcome.captures())),
              new byte[0],
              Reason.RULE_REDIRECT);
      case LocalAnswer.MapRedirect redirect -> {
        int entry = redirect.map().find(received);
        yield respond(
            loop,
            request,
            response,
            redirect.map().status(entry),
            HeaderFields.of("location", redirect.map().location(entry, received)),
            new byte[0],
            Reason.RULE_REDIRECT);
      }
      case LocalAnswer.Respond respond ->
          respond(
              loop,
              request,
              response,
              respond.status(),
              respond.fields(),
              respond.body(),
              Reason.RULE_RESPOND);
    };
  }

  private static void pace(
      ClientRequest request, ClientResponse response, @Nullable RuleOutcome outcome) {
    Pacing pacing = request.config().pacing(request.route(), outcome);
    if (pacing != null) {
      response.sink().pace(pacing.rate(response.record().askedRate(pacing)), pacing.burstBytes());
    }
  }

  /**
   * Gives a request that no client sent what the rules of its route say.
   *
   * @return whether they send it to an origin and let the response be stored
   */
  static boolean admits(ExchangeContext loop, ClientRequest request) {
    RouteRules rules = request.config().rules(request.route());
    if (rules == null) {
      request.hideRemovedFields();
      return true;
    }
    RequestFacts facts =
        new RequestFacts()
            .of(request.view(), request.client(), address(request), loop.nowMillis())
            .on(request.route().name());
    RuleOutcome outcome = rules.of(facts, loop.counters().ruleErrors);
    request.rules(outcome);
    request.route(request.config().ruled(request.route(), outcome));
    request.hideRemovedFields();
    return outcome.answer() == null && !outcome.passes();
  }

  /** What the route says of all its responses holds before its protection and rules are asked. */
  static void applyPresets(ExchangeContext loop, ClientRequest request) {
    RouteRules rules = request.config().rules(request.route());
    RuleOutcome presets =
        rules == null
            ? null
            : rules.before(
                new RequestFacts()
                    .of(request.view(), request.client(), request.client().ip(), loop.nowMillis()));
    if (presets != null) {
      request.rules(presets);
    }
  }

  /** Sends a copy of the client's request, whatever answers it, where a rule says so. */
  private static void mirrorAll(ExchangeContext loop, ClientRequest request, RuleOutcome outcome) {
    if (outcome.mirrorOfAll() == null || outcome.answer() != null) {
      return;
    }
    RuntimeConfig config = request.config();
    loop.origins()
        .sendCopy(
            config
                .upstream()
                .pass(
                    request.route(),
                    request.view(),
                    request.client(),
                    config.hostFor(request.route().originName()),
                    request.body(),
                    OriginRequest.Hop.PLAIN));
  }

  /** Why a request is passed, if that follows from its route and head. */
  static Reason passing(ClientRequest request, Reason ofRoute) {
    RuleOutcome rules = request.rules();
    return ofRoute == Reason.PASS_ROUTE && rules != null && rules.passes()
        ? Reason.PASS_RULE
        : ofRoute;
  }

  /** As the rules see it: that of the connection, or what a trusted proxy says. */
  private static @Nullable IpAddress address(ClientRequest request) {
    return address(request.config(), request.client(), request.view());
  }

  private static @Nullable IpAddress address(
      RuntimeConfig config, ClientInfo client, RequestView request) {
    if (!config.isTrusted(client.ip())) {
      return client.ip();
    }
    String named =
        ClientNetwork.address(client.address(), request.fields(), config.upstream()::trusts);
    return named == null ? null : IpAddress.of(named);
  }

  /** Which conditions of the access log's sampling hold. */
  static long held(LogSampling sampling, ClientRequest request, long nowMillis) {
    return sampling.held(
        new RequestFacts()
            .of(request.view(), request.client(), address(request), nowMillis)
            .on(request.route().name()));
  }

  /** The same for the fast lane: only what this cannot tell allocates. */
  static long held(
      LogSampling sampling,
      RuntimeConfig config,
      Route route,
      WireRequest request,
      ClientInfo client,
      long nowMillis,
      RequestFacts facts) {
    IpAddress address = config.isTrusted(client.ip()) ? null : client.ip();
    facts.ofFastLane(request, client, address, nowMillis);
    long held = 0;
    long later = 0;
    for (int i = 0; i < sampling.rules().size(); i++) {
      Condition when = sampling.rules().get(i).when();
      int verdict = when == null ? Condition.NO : when.test(facts);
      held |= verdict == Condition.YES ? 1L << i : 0;
      later |= verdict == Condition.LATER ? 1L << i : 0;
    }
    if (later == 0) {
      return held;
    }
    RequestFacts all =
        new RequestFacts()
            .of(request, client, address(config, client, request), nowMillis)
            .on(route.name());
    return held | (later & sampling.held(all));
  }

  /**
   * The same for the fast lane.
   *
   * @return false where an exchange has to handle the request
   */
  static boolean staysFast(
      RuntimeConfig config,
      RouteRules rules,
      WireRequest request,
      ClientInfo client,
      long nowMillis,
      RequestFacts facts,
      RuleOutcome into) {
    // Whom a trusted proxy speaks for takes parsing its fields.
    IpAddress address = config.isTrusted(client.ip()) ? null : client.ip();
    return rules.ofFastLane(facts.ofFastLane(request, client, address, nowMillis), into);
  }

  private static Step respond(
      ExchangeContext loop,
      ClientRequest request,
      ClientResponse response,
      int status,
      HeaderFields fields,
      byte[] body,
      Reason why) {
    request.body().cancel();
    request.because(why);
    ResponseSink sink = response.sink();
    HeadWriter head = loop.heads().begin(sink, status, request.rules());
    HstsLine.write(request, head);
    ByteBuf out = head.fields();
    HeadLines.text(out, "date: " + HttpDate.format(loop.nowMillis()) + "\r\n");
    EndToEndFields.copy(out, fields);
    head.cacheStatus(
        request.config().cacheStatus().forwarded(why, CacheStatus.NO_STATUS, false, false, null));
    ByteBufAllocator allocator = out.alloc();
    boolean hasBody = body.length > 0 && !request.isHead();
    head.send(status == 204 ? ResponseSink.LENGTH_ABSENT : body.length, !hasBody);
    if (hasBody) {
      sink.body(allocator.directBuffer(body.length).writeBytes(body));
      sink.end(HeaderFields.EMPTY);
      response.record().bodyBytes(body.length);
    } else {
      sink.flush();
    }
    response.onHeadSent(status, CacheResult.SYNTHETIC, why);
    response.over();
    return Step.AWAIT;
  }
}
