package io.forebay.server.explain;

import io.forebay.core.http.ByteRange.Satisfiable;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.KnownField;
import io.forebay.core.http.MaxForwards;
import io.forebay.core.http.QueryRequest;
import io.forebay.core.http.RequestView;
import io.forebay.core.key.CanonicalRequest;
import io.forebay.core.key.KeyBuilder;
import io.forebay.core.policy.Age;
import io.forebay.core.policy.BodyRemainder;
import io.forebay.core.policy.CacheStatus;
import io.forebay.core.policy.Decider;
import io.forebay.core.policy.Decision;
import io.forebay.core.policy.PostResponsePolicy;
import io.forebay.core.policy.RangeFetch;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.Revalidation;
import io.forebay.core.policy.ServePlan;
import io.forebay.core.policy.Sharing;
import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.server.cmcd.CmcdSettings;
import io.forebay.server.compress.CodingWeights;
import io.forebay.server.compress.CompressionSettings;
import io.forebay.server.compress.ContentCoding;
import io.forebay.server.config.EsiConfig;
import io.forebay.server.counters.RuleErrors;
import io.forebay.server.esi.PageCondition;
import io.forebay.server.exchange.FillStarter;
import io.forebay.server.exchange.HstsLine;
import io.forebay.server.exchange.LookupSteps;
import io.forebay.server.exchange.LoopDetection;
import io.forebay.server.exchange.QueryContent;
import io.forebay.server.exchange.UnconditionalRequest;
import io.forebay.server.explain.Explanation.Action;
import io.forebay.server.explain.Explanation.Answer;
import io.forebay.server.explain.Explanation.Rule;
import io.forebay.server.explain.Explanation.Serve;
import io.forebay.server.explain.Explanation.Sought;
import io.forebay.server.explain.Explanation.ToOrigin;
import io.forebay.server.fill.FillTable;
import io.forebay.server.fill.OtherVariants;
import io.forebay.server.fill.history.Backoff;
import io.forebay.server.fill.history.FillHistory;
import io.forebay.server.fill.history.FillKey;
import io.forebay.server.fill.history.HitForMiss;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.http.PurgeMethods;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.server.protect.RouteProtection;
import io.forebay.server.response.ResponsePlan;
import io.forebay.server.rule.CorsPolicy;
import io.forebay.server.rule.Extension;
import io.forebay.server.rule.LocalAnswer;
import io.forebay.server.rule.RequestFacts;
import io.forebay.server.rule.RouteRules;
import io.forebay.server.rule.RuleFailure;
import io.forebay.server.rule.RuleOutcome;
import io.forebay.server.runtime.RuntimeConfig;
import io.forebay.server.runtime.UpstreamRequest;
import io.forebay.server.text.Printable;
import io.forebay.storage.inspect.Entry;
import io.forebay.storage.inspect.InspectedObject;
import io.forebay.storage.inspect.StoreInspector;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Takes a request through the steps of an {@code Exchange} with the same rules but without effects:
 * no origin is contacted, nothing is loaded, touched or counted.
 *
 * <p>One thread, one request; not a loop's.
 */
public final class RequestExplainer {

  /** As if the client were on this machine: another's address would be made up. */
  private static final ClientInfo CLIENT =
      new ClientInfo("127.0.0.1", 0, "HTTP/1.1", "explain", false, null, 0);

  private static final Route ANY_ROUTE = Route.toOrigin("any");

  private final RuntimeConfig snapshot;
  private final Stage stage;
  private final StoreInspector survey;
  private final List<Rule> rules = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  private RequestView request;
  private @Nullable Route route;
  private @Nullable Sought sought;
  private @Nullable Serve serve;
  private @Nullable ToOrigin origin;

  /**
   * What of a node is looked at.
   *
   * @param keys this thread's own
   * @param longestRunBytes what is asked for at most of a body by range
   */
  public record Stage(
      KeyBuilder keys,
      FillTable fills,
      FillHistory history,
      int sliceBytes,
      long longestRunBytes,
      long nowMillis) {}

  private RequestExplainer(
      RuntimeConfig snapshot, Stage stage, StoreInspector survey, RequestView request) {
    this.snapshot = snapshot;
    this.stage = stage;
    this.survey = survey;
    this.request = request;
  }

  /** What would become of a request at this moment. */
  public static Explanation of(
      RuntimeConfig snapshot, Stage stage, StoreInspector survey, RequestView request)
      throws IOException {
    RequestExplainer rehearsal = new RequestExplainer(snapshot, stage, survey, request);
    Answer answer = rehearsal.admit();
    if (rehearsal.origin != null) {
      rehearsal.noteFallbacks(rehearsal.origin.origin());
    }
    return new Explanation(
        rehearsal.request,
        rehearsal.route,
        rehearsal.sought,
        List.copyOf(rehearsal.rules),
        answer,
        rehearsal.serve,
        rehearsal.origin,
        rehearsal.hsts(answer),
        List.copyOf(rehearsal.notes),
        stage.nowMillis);
  }

  /**
   * Over TLS, where there is a route: requests without one are not known to be for a host of ours.
   */
  private Explanation.@Nullable Hsts hsts(Answer answer) {
    Route to = route;
    if (to == null || !request.scheme().equals("https")) {
      return null;
    }
    String own = HstsLine.value(snapshot, to);
    if (own != null) {
      return new Explanation.Hsts(own, true);
    }
    InspectedObject object = sought == null ? null : sought.object();
    StoredMeta meta = object == null ? null : InspectionLookup.meta(object.head());
    if (object == null || meta == null || answer.action() != Action.SERVE) {
      return null;
    }
    byte[] head = object.head().head();
    String stored =
        HstsLine.value(MemorySegment.ofArray(head), meta.length(), head.length - meta.length());
    return stored == null ? null : new Explanation.Hsts(stored, false);
  }

  private void addRule(String rule, @Nullable Reason reason, String text) {
    rules.add(new Rule(rule, reason, text));
  }

  private void addRule(String rule, Reason reason) {
    addRule(rule, reason, reason.explanation());
  }

  // --- admit ------------------------------------------------------------------------------------

  private Answer admit() throws IOException {
    // Listeners ask this before there is an exchange that could say so in Cache-Status.
    if (Decider.decideBeforeLookup(request, ANY_ROUTE) instanceof Decision.Refuse refused) {
      addRule("listener", refused.reason());
      if (PurgeMethods.has(request.method()) && snapshot.config().purge().isOn()) {
        notes.add("clients in purge.from purge with this method; all others get this answer");
      }
      return new Answer(Action.REFUSE, refused.reason(), refused.status(), "");
    }
    LoopDetection.Verdict looped = LoopDetection.judge(request, snapshot);
    if (looped != null) {
      addRule("loop-detection", looped.reason(), looped.text());
      return refused(looped.status(), looped.reason());
    }
    Route found = snapshot.routes().match(request.authority(), request.path());
    if (found == null) {
      addRule("route", Reason.REFUSED_NO_ROUTE);
      return refused(404, Reason.REFUSED_NO_ROUTE);
    }
    route = found;
    noteDropped(found);
    if (assembles(found)) {
      boolean isAsked = snapshot.esi(found).mode() == EsiConfig.Mode.SURROGATE_CONTROL;
      notes.add(
          "a 200 response of a type in esi.types"
              + (isAsked ? " whose Surrogate-Control asks for it" : "")
              + " is assembled from its ESI tags, and sent without ETag, for this client only");
    }
    addRule(
        "route",
        null,
        found.name() + " matches host " + found.hostPattern() + ", path " + found.pathPrefix());
    if (isPreflight(found)) {
      addRule("cors", Reason.CORS_PREFLIGHT);
      RouteProtection gate = snapshot.gate(found);
      if (gate != null) {
        notes.add(
            "of protection " + gate.name() + ", access by network alone applies to preflights");
      }
      return refused(204, Reason.CORS_PREFLIGHT);
    }
    explainProtection(found);
    explainPlayers(found);
    RuleOutcome outcome = askRules(found);
    if (outcome != null) {
      Answer ruled = answered(outcome);
      if (ruled != null) {
        return ruled;
      }
      found = snapshot.ruled(found, outcome);
      route = found;
    }
    request = found.settings().cookies().request().requestWithout(request);
    request = found.forwarding().requestWithout(request);
    Decision early = Decider.decideBeforeLookup(request, found);
    return switch (early) {
      case null -> lookUp(found);
      case Decision.Refuse refused -> {
        addRule("request", refused.reason());
        yield refused(refused.status(), refused.reason());
      }
      case Decision decision -> {
        boolean isRuled =
            decision.reason() == Reason.PASS_ROUTE && outcome != null && outcome.passes();
        Reason reason = isRuled ? Reason.PASS_RULE : decision.reason();
        addRule("request", reason);
        yield pass(found, reason);
      }
    };
  }

  private void explainProtection(Route to) {
    RouteProtection gate = snapshot.gate(to);
    if (gate == null) {
      return;
    }
    request = gate.verified(gate.withoutCredentials(request), HeaderFields.EMPTY);
    for (RouteProtection.Requirement requirement : gate.requirements()) {
      addRule("protection", null, requirement.name() + ": " + requirement.text());
    }
    notes.add(
        "protection "
            + gate.name()
            + " decides by the client as well; this answer assumes that it admits the client");
  }

  private void explainPlayers(Route to) {
    CmcdSettings players = snapshot.cmcd(to);
    if (players.isRead()) {
      addRule(
          "cmcd",
          null,
          "CMCD is counted, logged and not part of the key; hits stay in the fast lane.");
    }
    if (snapshot.prefetch(to).isOn()) {
      addRule("prefetch", null, "The next objects of popular streams are fetched ahead.");
      notes.add("a hit leaves the fast lane: the route has prefetch");
    }
    if (players.answersCmsd()) {
      addRule("cmsd", null, "Responses have an entry of this node in CMSD-Dynamic.");
    }
  }

  /** What the rules of the route say, or null where it has none. */
  private @Nullable RuleOutcome askRules(Route of) {
    RouteRules ofRoute = snapshot.rules(of);
    if (ofRoute == null) {
      return null;
    }
    notes.add("rules were asked as for a client at " + CLIENT.address() + " over HTTP/1.1");
    RequestFacts facts =
        new RequestFacts().of(request, CLIENT, CLIENT.ip(), stage.nowMillis).on(of.name());
    RuleOutcome outcome = ofRoute.of(facts, new RuleErrors());
    CorsPolicy cors = ofRoute.presets().cors();
    if (cors != null) {
      addRule("cors", null, cors.toString());
      if (cors.leavesFastLane(facts)) {
        notes.add("a hit leaves the fast lane: a pattern of cors matches the origin");
      }
    }
    for (RuleFailure failure : outcome.failures()) {
      var rule = failure.rule();
      String why =
          rule.extension() == null
              ? ": its expression has no value: "
                  + Printable.json(failure.reason())
                  + (rule.appliesOnError() ? "; it applies" : "; it does not apply")
              : ": " + Printable.json(failure.reason());
      addRule("rule " + rule.name(), null, rule.place() + why);
    }
    for (var rule : ofRoute.slowRules()) {
      Extension extension = rule.extension();
      notes.add(
          "rule "
              + rule.name()
              + (extension == null ? " has an expression" : " asks plugin " + extension.name())
              + ": hits that it is asked about are not answered in the fast lane");
    }
    outcome
        .rules()
        .forEach(rule -> {
          addRule("rule " + rule.name(), null, rule.describe());
          if (!rule.isForFastLane()
              && rule.actions().answer() == null
              && rule.extension() == null) {
            notes.add("a hit leaves the fast lane because of rule " + rule.name());
          }
        });
    return outcome;
  }

  private boolean isPreflight(Route of) {
    RouteRules ofRoute = snapshot.rules(of);
    return ofRoute != null && ofRoute.presets().cors() != null && CorsPolicy.isPreflight(request);
  }

  /** What a rule answers, or null where the request goes on. */
  private @Nullable Answer answered(RuleOutcome outcome) {
    return switch (outcome.answer()) {
      case null -> null;
      case LocalAnswer.Deny deny -> ruled(Reason.RULE_DENY, deny.status());
      case LocalAnswer.Redirect redirect -> {
        addRule("redirect", null, "to " + redirect.to().url(request, outcome.captures()));
        yield ruled(Reason.RULE_REDIRECT, redirect.status());
      }
      case LocalAnswer.MapRedirect redirect -> {
        int entry = redirect.map().find(request);
        addRule(
            "redirect",
            null,
            "entry "
                + redirect.map().from(entry)
                + (redirect.map().isPrefix(entry) ? "*" : "")
                + " of "
                + redirect.file()
                + ", to "
                + redirect.map().location(entry, request));
        yield ruled(Reason.RULE_REDIRECT, redirect.map().status(entry));
      }
      case LocalAnswer.Respond respond -> ruled(Reason.RULE_RESPOND, respond.status());
    };
  }

  private Answer ruled(Reason reason, int status) {
    addRule("rules", reason);
    return refused(status, reason);
  }

  private void noteFallbacks(String name) {
    List<String> others = snapshot.fallbacksFor(name);
    if (!others.isEmpty()) {
      notes.add(
          "if origin "
              + name
              + " cannot answer, "
              + String.join(", then ", others)
              + (others.size() == 1 ? " is asked" : " are asked"));
    }
  }

  private void noteDropped(Route to) {
    Predicate<String> isDropped = UpstreamRequest.dropped(to, request);
    SortedSet<String> names = new TreeSet<>();
    request
        .fields()
        .forEach((name, value) -> {
          String lower = name.toString().toLowerCase(Locale.ROOT);
          if (isDropped.test(lower)) {
            names.add(lower);
          }
        });
    if (!names.isEmpty()) {
      notes.add(
          "the origin does not receive "
              + String.join(", ", names)
              + ": not in the key (unkeyed-fields of the route)");
    }
  }

  private Answer refused(int status, Reason reason) {
    return new Answer(Action.REFUSE, reason, status, forwarded(reason, false));
  }

  private String forwarded(Reason reason, boolean isCollapsed) {
    return snapshot
        .cacheStatus()
        .forwarded(reason, CacheStatus.NO_STATUS, false, isCollapsed, null);
  }

  private Answer pass(Route to, Reason reason) {
    if (request.method().equals("OPTIONS")) {
      int forwards = MaxForwards.of(request.fields());
      if (forwards == 0) {
        addRule("max-forwards", null, "Max-Forwards is 0: this node answers the request itself.");
        return new Answer(Action.REFUSE, reason, 204, "");
      }
      if (forwards == MaxForwards.MALFORMED) {
        addRule("max-forwards", Reason.REFUSED_FIELDS, "Max-Forwards is not a single number");
        return refused(400, Reason.REFUSED_FIELDS);
      }
    }
    if (PostResponsePolicy.isPost(request, to)) {
      addRule(
          "post",
          null,
          PostResponsePolicy.question(request, to) == null
              ? "No response to this request is stored: it has Cookie, Authorization or another"
                  + " field that a fetch for its key would not send."
              : "A 200 response with explicit freshness and this URL as Content-Location is stored"
                  + " for GET and HEAD.");
    }
    OriginRequest passed =
        snapshot
            .upstream()
            .pass(
                to,
                request,
                CLIENT,
                snapshot.hostFor(to.originName()),
                RequestBody.NONE,
                OriginRequest.Hop.PLAIN);
    origin = new ToOrigin(to.originName(), false, passed);
    noteCoding(to);
    return new Answer(Action.PASS, reason, 0, forwarded(reason, false));
  }

  /** How a response would be compressed that is not stored. */
  private void noteCoding(Route to) {
    CompressionSettings settings = snapshot.compression(to);
    ContentCoding coding = settings.choose(CodingWeights.of(request.fields()));
    if (!settings.isOn() || coding == null) {
      return;
    }
    boolean isPrivate = request.has(KnownField.COOKIE) || request.has(KnownField.AUTHORIZATION);
    notes.add(
        isPrivate && !settings.isPrivate()
            ? "the response is not compressed: the request has Cookie or Authorization, and the"
                + " route does not set compress.private"
            : "the response is compressed with "
                + coding.token()
                + " while it is sent if its type is one of compress.types, unless it has a coding"
                + " already or no-transform");
  }

  // --- look up ----------------------------------------------------------------------------------

  private Answer lookUp(Route to) throws IOException {
    if (QueryRequest.isQuery(request)) {
      notes.add("the content of a QUERY is part of its key; this answer assumes empty content");
      request = new QueryRequest(request, QueryContent.digest(request.fields(), new byte[0]));
    }
    InspectionLookup search = new InspectionLookup(survey, stage.keys, to.keyRecipe());
    LookupSteps.Found found = search.lookUp(request);
    if (found == LookupSteps.Found.KEY_TOO_LONG) {
      addRule("key", Reason.PASS_KEY_TOO_LONG);
      return pass(to, Reason.PASS_KEY_TOO_LONG);
    }
    Sought result = search.result();
    sought = result;
    if (result.searchRule() != null) {
      addRule(
          "no-vary-search",
          null,
          "No-Vary-Search removes parameters from the query: " + result.searchRule());
    }
    if (!result.selectingFields().isEmpty()) {
      addRule(
          "vary", null, "Responses vary by " + String.join(", ", result.selectingFields()) + ".");
    }
    if (result.object() == null && result.purged() != null) {
      addRule("purge", Reason.MISS_PURGED);
    }
    InspectedObject object = result.object();
    String storageClass =
        StorageClassHint.of(survey.classes(), to.settings().storageClass(), object);
    if (storageClass != null) {
      addRule("storage-class", null, storageClass);
    }
    String media = MediaExplanation.of(to.settings(), request);
    if (media != null) {
      addRule("media", null, media);
    }
    StoredMeta meta = object == null ? null : InspectionLookup.meta(object.head());
    return object == null || meta == null
        ? decideWithout(to, found == LookupSteps.Found.OTHER_VARIANTS)
        : decideWith(to, object, meta);
  }

  // --- decide -----------------------------------------------------------------------------------

  private Answer decideWithout(Route to, boolean hasOtherVariants) {
    Decision decision = Decider.decide(request, to, null, false, stage.nowMillis);
    Reason reason =
        decision instanceof Decision.Fetch && hasOtherVariants
            ? Reason.MISS_VARY
            : decision.reason();
    addRule("lookup", reason);
    return switch (decision) {
      case Decision.Refuse refused -> refused(refused.status(), refused.reason());
      case Decision.Pass pass -> pass(to, pass.reason());
      default -> fetch(to, reason, null, false);
    };
  }

  private Answer decideWith(Route to, InspectedObject object, StoredMeta meta) throws IOException {
    boolean isPage = isPage(to, object, meta);
    if (isPage) {
      request = UnconditionalRequest.of(request);
    }
    CopyFinding coded =
        isPage
            ? null
            : CopyFinding.of(snapshot.compression(to), request, object, meta, stage.keys, survey);
    InspectedObject copy = coded == null ? null : coded.copy();
    InspectedObject served = copy == null ? object : copy;
    StoredMeta copied = copy == null ? null : InspectionLookup.meta(copy.head());
    StoredMeta described = copied == null ? meta : copied;
    boolean isConfirmed = coded != null && coded.isConfirmed();
    long length = served.head().totalLength();
    int maxRanges = to.ranges().maxRanges();
    ServePlan planned =
        isConfirmed ? ServePlan.NOT_MODIFIED : ServePlan.of(request, described, length, maxRanges);
    ResponsePlan plan =
        isConfirmed
            ? ResponsePlan.notModified()
            : ResponsePlan.of(request, described, length, maxRanges);
    serve = new Serve(planned, plan.status());
    Entry inMemory = object.inMemory();
    if (inMemory == null) {
      addRule("store", null, "It is on a disk and would be loaded into memory first.");
    } else if (inMemory.in().isMiddle()) {
      addRule(
          "store",
          null,
          "It is in "
              + inMemory.in().name()
              + " of store.tiers and is served from there in place.");
    }
    String uncompressed =
        coded != null || snapshot.compression(to).isOn()
            ? null
            : CompressionHint.of(
                request, to, object.head().head(), meta.length(), object.head().totalLength());
    if (uncompressed != null) {
      notes.add(uncompressed);
    }
    if (object.mustValidate()) {
      meta.requireValidation();
    }
    Decision decision = Decider.decide(request, to, meta, object.isSoftPurged(), stage.nowMillis);
    addRule("stored-response", decision.reason());
    if (coded != null && decision instanceof Decision.Serve) {
      addRule("compression", null, coded.text());
    }
    return switch (decision) {
      case Decision.Serve hit -> serve(to, served, described, plan, hit);
      case Decision.Refuse refused -> refused(refused.status(), refused.reason());
      case Decision.Pass pass -> pass(to, pass.reason());
      case Decision.Fetch fetch -> fetch(to, fetch.reason(), null, isAlone(to, meta));
      case Decision.Revalidate again -> fetch(to, again.reason(), meta, isAlone(to, meta));
    };
  }

  private boolean assembles(Route to) {
    return snapshot.esi(to).isOn()
        && (request.method().equals("GET") || request.method().equals("HEAD"));
  }

  /** Whether what is stored is assembled for the client. */
  private boolean isPage(Route to, InspectedObject object, StoredMeta meta) {
    if (!assembles(to)
        || !PageCondition.isPage(
            snapshot.esi(to),
            meta.status(),
            PageCondition.stored(object.head().head(), meta.length()))) {
      return false;
    }
    addRule(
        "esi",
        null,
        "The stored response is a page: it is sent whole, assembled from its ESI tags; its fragments"
            + " are requests of their own.");
    return true;
  }

  /** Also tells whether what is stored may stand in for an origin that fails. */
  private boolean isAlone(Route to, StoredMeta meta) {
    if (Decider.mayServeStaleOnError(request, meta, to, stage.nowMillis)) {
      addRule(
          "stale-if-error",
          Reason.HIT_STALE_IF_ERROR,
          "If the origin fails, the stored response may be served.");
    }
    boolean isAlone = Sharing.isNeverFresh(meta);
    if (isAlone) {
      addRule(
          "sharing",
          null,
          "The stored response was never fresh, so requests do not wait for each other's fetch.");
    }
    return isAlone;
  }

  private Answer serve(
      Route to,
      InspectedObject object,
      StoredMeta meta,
      ResponsePlan plan,
      Decision.Serve decision) {
    if (decision.reason() == Reason.HIT_FRESH
        && Decider.isEarlyRefreshDue(request, meta, to, stage.nowMillis, () -> 0)) {
      addRule(
          "early-refresh",
          Reason.HIT_EARLY_REFRESH,
          "A request may already refresh it, with a certain probability.");
    }
    Reason why = decision.isRefreshDue() ? refreshInBackground(to, meta) : decision.reason();
    int missing = plan.hasBody() ? MissingSlices.firstMissing(object, plan) : -1;
    if (missing < 0) {
      return new Answer(
          Action.SERVE,
          why,
          plan.status(),
          snapshot.cacheStatus().hit(why, Age.timeToLiveSeconds(meta, stage.nowMillis)));
    }
    return complete(to, object, meta, plan, why, missing);
  }

  /** Gives the reason for which it is served although it is stale. */
  private Reason refreshInBackground(Route to, StoredMeta meta) {
    Sought found = sought;
    if (found != null
        && FillStarter.isHeldBack(stage.history, fillKey(found), request, stage.nowMillis)) {
      addBackoffRule(fillKey(found));
      return Reason.HIT_STALE_REFRESH_FAILED;
    }
    if (found == null || stage.fills.find(fillKey(found)) != null || stage.fills.isFull()) {
      addRule(
          "fill", null, "A refresh is already in progress, or the limit on fetches is reached.");
    } else {
      origin =
          new ToOrigin(to.originName(), true, filled(to, Revalidation.conditionalFields(meta)));
    }
    return Reason.HIT_STALE_WHILE_REVALIDATE;
  }

  private void addBackoffRule(FillKey key) {
    Backoff refreshes = stage.history.refreshes();
    long left = refreshes.heldMillis(key, request, stage.nowMillis);
    addRule(
        "refresh",
        Reason.HIT_STALE_REFRESH_FAILED,
        left == 0
            ? Reason.PASS_UNCACHEABLE.explanation()
            : "%d refreshes in a row failed; the next attempt is in %d ms or later."
                .formatted(refreshes.wastedTimes(key, request), left));
  }

  /** Slices are missing: they are fetched by themselves, or the body whole. */
  private Answer complete(
      Route to,
      InspectedObject object,
      StoredMeta meta,
      ResponsePlan plan,
      Reason why,
      int missing) {
    addRule("slices", Reason.MISS_PARTIAL, "Slice " + missing + " of the body is missing.");
    BodyRemainder rest = BodyRemainder.of(meta, object.head().totalLength());
    boolean mayComplete =
        rest != null
            && !QueryRequest.isQuery(request)
            && object.head().sliceBytes() == stage.sliceBytes;
    if (rest == null || !mayComplete) {
      return fetch(to, Reason.MISS_PARTIAL, null, false);
    }
    if (!MissingSlices.isNear(missing, plan, stage.sliceBytes)) {
      notes.add(
          "the missing part is far behind the beginning; it is fetched while the beginning is"
              + " sent");
      return new Answer(
          Action.SERVE,
          why,
          plan.status(),
          snapshot.cacheStatus().hit(why, Age.timeToLiveSeconds(meta, stage.nowMillis)));
    }
    Satisfiable run = MissingSlices.run(object, plan, missing, stage.longestRunBytes);
    origin =
        new ToOrigin(
            to.originName(), false, filled(to, rest.requestFields(run.first(), run.last())));
    return new Answer(
        Action.FETCH, Reason.MISS_PARTIAL, plan.status(), forwarded(Reason.MISS_PARTIAL, false));
  }

  // --- fetch ------------------------------------------------------------------------------------

  /**
   * The step FETCH.
   *
   * @param stale what is to be confirmed, or null
   */
  private Answer fetch(Route to, Reason reason, @Nullable StoredMeta stale, boolean isNeverFresh) {
    if (request.method().equals("HEAD")) {
      addRule("method", Reason.PASS_HEAD);
      return pass(to, Reason.PASS_HEAD);
    }
    Sought found = sought;
    FillKey key = found == null ? new FillKey(0, 0) : fillKey(found);
    HitForMiss.Memory known = remembered(to, key);
    if (known != null && known.kind() == HitForMiss.Kind.UNCACHEABLE) {
      addRule("hit-for-miss", Reason.PASS_UNCACHEABLE);
      saysWhyRemembered(known);
      return pass(to, Reason.PASS_UNCACHEABLE);
    }
    if (known != null) {
      addRule(
          "hit-for-miss",
          null,
          "The last response could not be shared: each request is fetched on its own.");
    }
    boolean isAlone = isNeverFresh || known != null;
    if (!isAlone && stage.fills.find(key) != null) {
      addRule(
          "fill", null, "Another request is already fetching it: this one would join that fetch.");
      return new Answer(Action.JOIN, reason, 0, forwarded(reason, true));
    }
    if (stage.fills.isFull()) {
      addRule("fill", Reason.PASS_STORE_FULL, "The limit on concurrent fetches is reached.");
      return pass(to, Reason.PASS_STORE_FULL);
    }
    HeaderFields conditions =
        stale == null ? HeaderFields.EMPTY : Revalidation.conditionalFields(stale);
    if (stale != null) {
      addStorabilityRule(key);
    } else {
      Satisfiable asked =
          isAlone
              ? null
              : RangeFetch.of(request, to.ranges(), stage.sliceBytes, stage.longestRunBytes);
      if (asked != null) {
        addRule("range", null, "Only the slices of the range are fetched.");
      } else if (request.has(KnownField.RANGE)) {
        addRule("range", null, "The whole body is fetched, and the range is served from it.");
      }
      conditions = FillStarter.rangeField(asked);
    }
    if (found != null && (stale != null || conditions.size() == 0)) {
      List<String> named = Revalidation.conditionsNaming(conditions, tagsOfOthers(to, found));
      if (!named.isEmpty()) {
        addRule(
            "vary",
            null,
            "The tags of other variants are sent too, in case the origin selects one of them.");
        conditions = Revalidation.conditionalFields(conditions, named);
      }
    }
    origin = new ToOrigin(to.originName(), false, filled(to, conditions));
    return new Answer(
        stale == null ? Action.FETCH : Action.REVALIDATE, reason, 0, forwarded(reason, false));
  }

  /** As the exchange asks for it: by the key, and by the URL's for requests with cookies. */
  private HitForMiss.@Nullable Memory remembered(Route to, FillKey key) {
    HitForMiss history = stage.history.hitForMiss();
    HitForMiss.Memory known = history.explain(key, request, stage.nowMillis);
    KeyBuilder keys = stage.keys;
    return known == null && request.has(KnownField.COOKIE) && keys.build(request, to.keyRecipe())
        ? history.explain(new FillKey(keys.hi(), keys.lo()), request, stage.nowMillis)
        : known;
  }

  private void saysWhyRemembered(HitForMiss.Memory known) {
    Reason why = known.reason();
    if (why != null) {
      addRule(
          "last-response",
          why,
          "It was not stored, which is remembered for another %d s: %s"
              .formatted((known.leftMillis() + 999) / 1000, why.explanation()));
    }
  }

  private void addStorabilityRule(FillKey key) {
    Backoff rewrites = stage.history.rewrites();
    long left = rewrites.heldMillis(key, request, stage.nowMillis);
    if (left > 0) {
      addRule(
          "store",
          null,
          "%d revalidations in a row returned a new response: responses are not stored for %d ms."
              .formatted(rewrites.wastedTimes(key, request), left));
    }
  }

  /** As {@link OtherVariants} finds them. */
  private List<String> tagsOfOthers(Route to, Sought found) {
    List<String> tags = new ArrayList<>();
    if (!to.keyRecipe().hasSearchRules()
        && Revalidation.canNameOtherVariants(request, found.selectingFields())) {
      for (InspectedObject other :
          found.variants().stream().limit(OtherVariants.MAX_INSPECTED).toList()) {
        StoredMeta meta = InspectionLookup.meta(other.head());
        String text = other.head().key();
        String tag =
            meta == null || other.inMemory() == null || text.equals(found.key().text())
                ? null
                : OtherVariants.tagOf(
                    meta,
                    other.head().totalLength(),
                    text,
                    found.key().text(),
                    found.base().text().length());
        if (tag != null) {
          tags.add(tag);
        }
      }
    }
    return tags;
  }

  private static FillKey fillKey(Sought found) {
    return new FillKey(found.key().hi(), found.key().lo());
  }

  private OriginRequest filled(Route to, HeaderFields conditions) {
    String method = QueryRequest.isQuery(request) ? request.method() : "GET";
    return FillStarter.request(
        snapshot,
        to,
        CanonicalRequest.of(request, method, to.keyRecipe()),
        RequestBody.NONE,
        CLIENT,
        conditions);
  }
}
