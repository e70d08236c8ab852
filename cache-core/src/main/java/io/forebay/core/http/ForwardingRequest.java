package io.forebay.core.http;

import org.jspecify.annotations.Nullable;

/** A request that delegates to another one; subclasses override what differs. */
public interface ForwardingRequest extends RequestView {

  /** The other one. */
  RequestView request();

  @Override
  default String method() {
    return request().method();
  }

  @Override
  default String scheme() {
    return request().scheme();
  }

  @Override
  default String authority() {
    return request().authority();
  }

  @Override
  default String path() {
    return request().path();
  }

  @Override
  default @Nullable String query() {
    return request().query();
  }

  @Override
  default FieldsView fields() {
    return request().fields();
  }

  @Override
  default int knownFields() {
    return request().knownFields();
  }

  @Override
  default boolean hasBody() {
    return request().hasBody();
  }

  @Override
  default @Nullable String contentDigest() {
    return request().contentDigest();
  }
}
