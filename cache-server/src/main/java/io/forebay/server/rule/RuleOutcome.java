package io.forebay.server.rule;

import io.forebay.core.http.RequestView;
import io.forebay.core.route.Mirror;
import io.forebay.core.route.ResponseRules;
import io.forebay.core.route.UpstreamEdits;
import io.forebay.server.counters.RuleErrors;
import io.forebay.server.pacing.Pacing;
import io.forebay.server.rule.expression.EvaluationException;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the rules of a route mean for one request. Made for each request by an exchange, and reused
 * by the fast lane, which fills in the edits of fields alone.
 */
public final class RuleOutcome {
  private static final FieldEdits NO_EDITS = new FieldEdits(List.of(), List.of(), List.of());

  private final List<Rule> rules = new ArrayList<>(0);
  private final List<HeldRule> held = new ArrayList<>(0);
  private final List<RuleFailure> failures = new ArrayList<>(0);
  private final RuleErrors errors;
  private @Nullable LocalAnswer answer;
  private String @Nullable [] captures;
  private @Nullable String origin;
  private boolean passes;
  private @Nullable Mirror mirror;
  private long heldBodyBytes;
  private @Nullable Pacing pacing;
  private boolean editsRequest;
  private boolean concernsStoring;
  private int keyGroup;

  // Edits of the fields of what is delivered, in the order of the rules.
  private FieldEdits[] edits = new FieldEdits[0];
  private byte[][] lines = new byte[0][];

  /** For which responses, or null for all. */
  private @Nullable ResponseCondition[] conditions = new ResponseCondition[0];

  /** What says the edits when a response is there, or null where they are known. */
  private @Nullable ExtensionCall[] calls = new ExtensionCall[0];

  /** Whether the condition held when it was asked last; not kept for edits without one. */
  private boolean[] verdicts = new boolean[0];

  private int editCount;
  private boolean hasConditions;

  /** The response must not show what it has of fields: an extension failed. */
  private boolean isBare;

  private @Nullable Supplier<byte[]> lastLines;
  private @Nullable Consumer<ByteBuf> observer;

  /** For the fast lane. */
  public RuleOutcome() {
    this(new RuleErrors());
  }

  /**
   * For one request.
   *
   * @param errors where expressions without a value are counted
   */
  RuleOutcome(RuleErrors errors) {
    this.errors = errors;
  }

  void clear() {
    pacing = null;
    editCount = 0;
    isBare = false;
    hasConditions = false;
  }

  void keyGroup(int combination) {
    keyGroup = combination;
  }

  /** The number of the combination of groups whose keys the request has; 0 for none. */
  public int keyGroup() {
    return keyGroup;
  }

  /** The rule holds, in an exchange. */
  void add(Rule rule, RequestView request) {
    rules.add(rule);
    held.add(new HeldRule(rule, null));
    addActions(rule, request);
  }

  /**
   * The same of a rule that an extension was asked for.
   *
   * @param weight of the groups of the extension among the combinations of the key
   */
  void add(Rule rule, Extension extension, ExtensionCall call, RequestView request, int weight) {
    rules.add(rule);
    held.add(new HeldRule(rule, call));
    String failure = call.failure();
    if (failure != null) {
      failures.add(new RuleFailure(rule, failure));
    }
    passes |= rule.actions().passes();
    keyGroup += weight * call.group();
    addActions(
        new Rule(rule.name(), rule.place(), null, rule.appliesOnError(), call.actions()), request);
    editsRequest |= extension.changesRequests();
    concernsStoring |= extension.concernsStoring();
    add(NO_EDITS, NO_EDITS.constantLines(), null, call);
  }

  private void addActions(Rule rule, RequestView request) {
    String[] captured = rule.captures(request);
    FieldEdits fields = rule.actions().responseFields();
    if (fields != null) {
      add(fields, fields.lines(request, captured), rule.actions().response(), null);
    }
    if (rule.actions().origin() != null) {
      origin = rule.actions().origin();
    }
    passes |= rule.actions().passes();
    editsRequest |= rule.actions().rewrite() != null || rule.actions().requestFields() != null;
    if (rule.actions().heldBodyBytes() > 0) {
      heldBodyBytes = rule.actions().heldBodyBytes();
    }
    if (rule.actions().pacing() != null) {
      pacing = rule.actions().pacing();
    }
    if (rule.actions().mirror() != null) {
      mirror = rule.actions().mirror();
      editsRequest = true;
    }
    concernsStoring |= rule.actions().store() != null;
    if (rule.actions().answer() != null) {
      answer = rule.actions().answer();
      captures = captured;
    }
  }

  /**
   * The condition of a rule cannot be told. Where a bound was exceeded, that may be due to parts of
   * the request that are not in the key of what is stored, so an answer of the origin that the rule
   * would have changed goes to this client alone.
   */
  void addFailure(Rule rule, EvaluationException why) {
    errors.count(why.isLimit());
    failures.add(new RuleFailure(rule, why.getMessage()));
    passes |= why.isLimit() && rule.actions().changesRequest();
  }

  /** The rule holds, in the fast lane. */
  void addFast(Rule rule) {
    FieldEdits fields = rule.actions().responseFields();
    if (fields != null) {
      add(fields, fields.constantLines(), rule.actions().response(), null);
    }
    if (rule.actions().pacing() != null) {
      pacing = rule.actions().pacing();
    }
  }

  /** Edits of every response. */
  void add(FieldEdits constant) {
    add(constant, constant.constantLines(), null, null);
  }

  private void add(
      FieldEdits fields,
      byte[] fieldLines,
      @Nullable ResponseCondition condition,
      @Nullable ExtensionCall call) {
    if (editCount == edits.length) {
      int room = Math.max(4, 2 * editCount);
      edits = Arrays.copyOf(edits, room);
      lines = Arrays.copyOf(lines, room);
      conditions = Arrays.copyOf(conditions, room);
      calls = Arrays.copyOf(calls, room);
      verdicts = Arrays.copyOf(verdicts, room);
    }
    edits[editCount] = fields;
    conditions[editCount] = condition;
    calls[editCount] = call;
    lines[editCount++] = fieldLines;
    hasConditions |= condition != null || call != null;
  }

  /** The rules that hold, in their order. */
  public List<Rule> rules() {
    return rules;
  }

  /** The rules whose condition could not be told, in their order. */
  public List<RuleFailure> failures() {
    return failures;
  }

  /** The response that ends the request here, or null. */
  public @Nullable LocalAnswer answer() {
    return answer;
  }

  /** The groups of the rule that answers, or null. */
  public String @Nullable [] captures() {
    return captures;
  }

  /** Whether the route is another one for this request. */
  public boolean changesRoute() {
    return origin != null || passes || editsRequest || concernsStoring || keyGroup > 0;
  }

  /** The origin to ask, or null for that of the route. */
  public @Nullable String origin() {
    return origin;
  }

  /** Whether the request goes to the origin past the store. */
  public boolean passes() {
    return passes;
  }

  /** What the origin is asked otherwise than the client asks, or null. */
  public @Nullable UpstreamEdits upstreamEdits() {
    return editsRequest ? new RuleUpstreamEdits(held, mirror) : null;
  }

  /** Up to which length a request body is read before the origin is asked; 0 for not at all. */
  public long heldBodyBytes() {
    return heldBodyBytes;
  }

  /** How fast the response is sent, or null where no rule says so. */
  public @Nullable Pacing pacing() {
    return pacing;
  }

  /** The origin that gets a copy of every request of clients, or null. */
  public @Nullable Mirror mirrorOfAll() {
    return mirror != null && mirror.isOfAll() ? mirror : null;
  }

  /** What is said of the storing of responses, or null. */
  public @Nullable ResponseRules responseRules() {
    return concernsStoring ? new RuleResponseRules(held, errors) : null;
  }

  /** Lines that every response has behind all others. */
  public void lastLines(Supplier<byte[]> lines) {
    lastLines = lines;
  }

  /** What makes them when a head is written, or null. */
  public @Nullable Supplier<byte[]> lastLines() {
    return lastLines;
  }

  /** Who reads each head when all of it is written; null for nobody. */
  public void observer(@Nullable Consumer<ByteBuf> reader) {
    observer = reader;
  }

  /** Who reads it, or null. */
  public @Nullable Consumer<ByteBuf> observer() {
    return observer;
  }

  /** Number of edits of the fields of what is delivered. */
  public int editCount() {
    return editCount;
  }

  /** Whether some edits depend on the response. */
  public boolean hasConditions() {
    return hasConditions;
  }

  /** Asks all conditions about a response, before any edit changes its fields. */
  public void judge(ResponseHead head) {
    isBare = false;
    for (int i = 0; i < editCount; i++) {
      ResponseCondition condition = conditions[i];
      ExtensionCall call = calls[i];
      if (call != null) {
        FieldEdits said = call.delivered(head);
        isBare |= said == null;
        edits[i] = said == null ? NO_EDITS : said;
        lines[i] = edits[i].constantLines();
      }
      verdicts[i] = condition == null || condition.holds(head);
    }
  }

  /** Whether the response that was judged goes out with the fields alone that it needs. */
  public boolean isBare() {
    return isBare;
  }

  /** Whether an edit applies to the response that was judged. */
  public boolean applies(int edit) {
    return conditions[edit] == null || verdicts[edit];
  }

  /** The lines that an edit writes where there is none of their name. */
  public FieldEdits.Fallback[] fallbacks(int edit) {
    return edits[edit].fallbacks();
  }

  /** The beginnings {@code name:} of lines that an edit removes. */
  public byte[][] removedPrefixes(int edit) {
    return edits[edit].removedPrefixes();
  }

  /** The lines that an edit writes. */
  public byte[] lines(int edit) {
    return lines[edit];
  }

  /** Whether the fields of that name, in lower case, are removed or replaced in every response. */
  public boolean removes(String name) {
    for (int i = 0; i < editCount; i++) {
      if (conditions[i] == null && calls[i] == null && edits[i].removes(name)) {
        return true;
      }
    }
    return false;
  }
}
