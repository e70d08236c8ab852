package io.forebay.core.route;

import io.forebay.core.http.FieldsView;

/** What rules say of the storing of one response. */
public interface ResponseRules {

  ResponseOverrides of(int status, FieldsView response);
}
