package io.forebay.server.origin.sign;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.SigningConfig;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Marks and signs the requests to one origin, as its configuration says. Any thread. */
public final class OriginSigner {
  private final List<RequestSigner> steps;
  private final RefusalNotes refusals;
  private final boolean isSigning;

  private OriginSigner(List<RequestSigner> steps, boolean isSigning, InstantSource clock) {
    this.steps = List.copyOf(steps);
    this.isSigning = isSigning;
    this.refusals = new RefusalNotes(clock);
  }

  /** The signer of an origin; null where requests are sent as they are. */
  public static @Nullable OriginSigner of(OriginConfig origin, InstantSource clock) {
    SigningConfig config = origin.signing();
    List<RequestSigner> steps = new ArrayList<>();
    if (!config.fields().isEmpty()) {
      steps.add(new StaticFields(config.fields()));
    }
    if (config.s3() != null) {
      steps.add(new S3Signer(config.s3(), origin.host(), clock));
    }
    if (config.hmac() != null) {
      steps.add(new MessageSigner(config.hmac(), clock));
    }
    return steps.isEmpty() ? null : new OriginSigner(steps, config.isSigning(), clock);
  }

  /** The request as it is to be sent now. */
  public SignableRequest sign(SignableRequest request) {
    SignableRequest signed = request;
    for (RequestSigner step : steps) {
      signed = step.sign(signed);
    }
    return signed;
  }

  /**
   * Notes what an origin answered.
   *
   * @return a sentence for the log, or null
   */
  public @Nullable String onAnswer(int status, HeaderFields fields) {
    return isSigning ? refusals.onAnswer(status, fields) : null;
  }

  /** What is done to requests, and the latest refusal, for people. */
  public List<String> notes() {
    List<String> notes = new ArrayList<>();
    steps.forEach(step -> notes.addAll(step.notes()));
    String refusal = refusals.latest();
    if (refusal != null) {
      notes.add(refusal);
    }
    return List.copyOf(notes);
  }
}
