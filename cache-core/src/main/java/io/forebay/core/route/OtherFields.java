package io.forebay.core.route;

import io.forebay.core.http.FieldsView;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.KnownField;
import io.forebay.core.http.RequestView;
import org.jspecify.annotations.Nullable;

/** A request with other fields than it came with. */
record OtherFields(RequestView request, HeaderFields fields, int knownFields)
    implements RequestView {

  OtherFields(RequestView request, HeaderFields fields) {
    this(request, fields, known(request, fields));
  }

  private static int known(RequestView request, FieldsView fields) {
    int known = 0;
    for (KnownField field : KnownField.values()) {
      if (request.has(field) && fields.has(field.fieldName())) {
        known |= field.bit();
      }
    }
    return known;
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
  public boolean hasBody() {
    return request.hasBody();
  }
}
