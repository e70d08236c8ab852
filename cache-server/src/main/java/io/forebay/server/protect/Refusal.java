package io.forebay.server.protect;

import io.forebay.core.policy.Reason;
import java.time.Duration;

/**
 * Why a client gets no answer, and what it is told instead.
 *
 * @param text the page
 * @param retryAfter when to come back, or zero to say nothing about it
 * @param lines further header lines, each with its line ending
 */
public record Refusal(int status, Reason reason, String text, Duration retryAfter, String lines) {

  static Refusal of(int status, Reason reason) {
    return new Refusal(status, reason, reason.explanation(), Duration.ZERO, "");
  }
}
