package io.forebay.server.rule;

import io.forebay.core.http.FieldsView;
import io.forebay.core.http.RequestView;
import io.forebay.core.route.ResponseOverrides;
import io.forebay.core.route.UpstreamEdits;
import org.jspecify.annotations.Nullable;

/** What an {@link Extension} says of one request, and of what comes of it later. */
public interface ExtensionCall {

  /** What becomes of the request. */
  RuleActions actions();

  /** The number of the group of {@link Extension#groups}, from 1; 0 for none. */
  int group();

  /** What went wrong, for people; null for nothing. */
  @Nullable String failure();

  /**
   * What the origin is asked.
   *
   * @param request what a fill asks, or the client's where it is passed
   */
  UpstreamEdits.Edited edited(RequestView request, UpstreamEdits.Edited before);

  /** How a response of the origin is stored. */
  ResponseOverrides ofResponse(int status, FieldsView response);

  /** What the client gets differently; null for a response that must not show its fields. */
  @Nullable FieldEdits delivered(ResponseHead head);
}
