package io.forebay.core.route;

import io.forebay.core.http.FieldsView;
import io.forebay.core.http.ForwardingRequest;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.KnownField;
import io.forebay.core.http.RequestView;

/** A request with replaced header fields. */
record RequestWithFields(RequestView request, HeaderFields fields, int knownFields)
    implements ForwardingRequest {

  RequestWithFields(RequestView request, HeaderFields fields) {
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
}
