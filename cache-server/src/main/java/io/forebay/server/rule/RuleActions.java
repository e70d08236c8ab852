package io.forebay.server.rule;

import io.forebay.core.route.Mirror;
import io.forebay.server.pacing.Pacing;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * What a rule does. Parts that are null are not there.
 *
 * @param answer ends the evaluation
 * @param passes whether the request goes to the origin past the store
 * @param origin the origin that is asked, by its name
 * @param rewrite of the path that the origin is asked for
 * @param requestFields fields of what the origin is asked
 * @param store of the response of the origin
 * @param responseFields fields of what is delivered
 * @param response for which responses these are changed; null for all
 * @param mirror the origin that gets a copy of the request
 * @param heldBodyBytes up to which length request bodies are read before the origin is asked; 0 for
 *     not at all
 * @param extension code that says what else it does
 * @param pacing how fast the response is sent
 */
public record RuleActions(
    @Nullable LocalAnswer answer,
    boolean passes,
    @Nullable String origin,
    @Nullable Rewrite rewrite,
    @Nullable FieldEdits requestFields,
    @Nullable StoreActions store,
    @Nullable FieldEdits responseFields,
    @Nullable ResponseCondition response,
    @Nullable Mirror mirror,
    long heldBodyBytes,
    @Nullable Extension extension,
    @Nullable Pacing pacing) {

  /** Without code from outside and pacing. */
  public RuleActions(
      @Nullable LocalAnswer answer,
      boolean passes,
      @Nullable String origin,
      @Nullable Rewrite rewrite,
      @Nullable FieldEdits requestFields,
      @Nullable StoreActions store,
      @Nullable FieldEdits responseFields,
      @Nullable ResponseCondition response,
      @Nullable Mirror mirror,
      long heldBodyBytes) {
    this(
        answer,
        passes,
        origin,
        rewrite,
        requestFields,
        store,
        responseFields,
        response,
        mirror,
        heldBodyBytes,
        null,
        null);
  }

  /** Of a rule that asks an extension. */
  public static RuleActions ofExtension(Extension extension, boolean passes) {
    return new RuleActions(
        null, passes, null, null, null, null, null, null, null, 0, extension, null);
  }

  /** What an extension answers a request with. */
  public static RuleActions ofAnswer(LocalAnswer answer) {
    return new RuleActions(answer, false, null, null, null, null, null, null, null, 0);
  }

  /** What an extension says of a request that goes on. */
  public static RuleActions ofRequest(
      boolean passes, @Nullable String origin, @Nullable FieldEdits responseFields) {
    return new RuleActions(null, passes, origin, null, null, null, responseFields, null, null, 0);
  }

  /** Of a rule that does nothing but change fields of what is delivered. */
  static RuleActions ofFields(FieldEdits edits) {
    return new RuleActions(null, false, null, null, null, null, edits, null, null, 0);
  }

  /** The highest group of an expression that is named, or 0. */
  public int groups() {
    int ofFields =
        Math.max(
            requestFields == null ? 0 : requestFields.groups(),
            responseFields == null ? 0 : responseFields.groups());
    int ofAnswer = answer instanceof LocalAnswer.Redirect redirect ? redirect.to().groups() : 0;
    int ofRewrite = rewrite instanceof Rewrite.To to ? to.template().groups() : 0;
    return Math.max(ofFields, Math.max(ofAnswer, ofRewrite));
  }

  /** Whether what the origin answers may be different for it. */
  public boolean changesRequest() {
    return origin != null
        || rewrite != null
        || requestFields != null
        || (extension != null && extension.changesRequests());
  }

  /** Whether an expression in CEL decides about the storing of responses. */
  public boolean dependsOnExpression() {
    StoreActions actions = store;
    ResponseCondition condition = actions == null ? null : actions.when();
    return condition != null && condition.expression() != null;
  }

  String describe() {
    StringJoiner words = new StringJoiner(", ");
    if (extension != null) {
      words.add("asks plugin " + extension.name());
    }
    switch (answer) {
      case null -> {}
      case LocalAnswer.Deny deny -> words.add("denies with " + deny.status());
      case LocalAnswer.Redirect redirect ->
          words.add("redirects with " + redirect.status() + " to " + redirect.to());
      case LocalAnswer.MapRedirect redirect ->
          words.add("redirects by " + redirect.file() + ", " + redirect.map().size() + " entries");
      case LocalAnswer.Respond respond -> words.add("responds with " + respond.status());
    }
    if (passes) {
      words.add("passes");
    }
    if (origin != null) {
      words.add("asks origin " + origin);
    }
    switch (rewrite) {
      case null -> {}
      case Rewrite.To to -> words.add("asks for " + to.template());
      case Rewrite.StripPrefix strip -> words.add("asks without " + strip.prefix());
      case Rewrite.AddPrefix add -> words.add("asks below " + add.prefix());
    }
    if (requestFields != null) {
      words.add("changes request fields");
    }
    if (heldBodyBytes > 0) {
      words.add("holds request bodies of up to " + heldBodyBytes + " bytes");
    }
    if (mirror != null) {
      words.add(
          "sends a copy of "
              + mirror.sharePercent()
              + "% of the requests "
              + (mirror.isOfAll() ? "" : "to the origin ")
              + "to origin "
              + mirror.origin());
    }
    if (store != null) {
      words.add(
          (store.overrides().isNeverStored() ? "forbids storing" : "sets how long it is stored")
              + (store.when() == null ? "" : ", by the response"));
    }
    if (responseFields != null) {
      words.add("changes response fields" + (response == null ? "" : ", by the response"));
    }
    if (pacing != null) {
      words.add("sends at most " + pacing.bytesPerSecond() + " bytes a second");
    }
    return words.toString();
  }

  /** Whether a hit may be different for it. */
  boolean concernsHits() {
    return answer != null
        || passes
        || responseFields != null
        || pacing != null
        || mirrorsHits()
        || (extension != null && extension.concernsHits());
  }

  /** Whether the fast lane can do it. */
  boolean isForFastLane() {
    FieldEdits fields = responseFields;
    return answer == null
        && extension == null
        && !passes
        && !mirrorsHits()
        && (fields == null || (fields.isConstant() && (response == null || response.isFast())));
  }

  private boolean mirrorsHits() {
    return mirror != null && mirror.isOfAll();
  }
}
