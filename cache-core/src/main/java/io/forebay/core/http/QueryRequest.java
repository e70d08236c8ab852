package io.forebay.core.http;

import org.jspecify.annotations.Nullable;

/**
 * A QUERY whose content has been read: what it asks for is told by its digest (RFC 10008 §2.7).
 *
 * @param request the same as it came
 */
public record QueryRequest(RequestView request, String contentDigest) implements RequestView {

  /** Whether a request is of this method. */
  public static boolean isQuery(RequestView request) {
    return request.method().equals("QUERY");
  }

  @Override
  public String method() {
    return request.method();
  }

  @Override
  public String scheme() {
    return request.scheme();
  }

  @Override
  public String authority() {
    return request.authority();
  }

  @Override
  public String path() {
    return request.path();
  }

  @Override
  public @Nullable String query() {
    return request.query();
  }

  @Override
  public FieldsView fields() {
    return request.fields();
  }

  @Override
  public int knownFields() {
    return request.knownFields();
  }

  @Override
  public boolean hasBody() {
    return request.hasBody();
  }
}
