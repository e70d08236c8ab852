package io.forebay.core.route;

import io.forebay.core.http.FieldsView;
import io.forebay.core.http.ForwardingRequest;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.KnownField;
import io.forebay.core.http.RequestView;
import java.util.Locale;
import java.util.function.Predicate;

/** A request with replaced header fields. */
public record RequestWithFields(RequestView request, HeaderFields fields, int knownFields)
    implements ForwardingRequest {

  RequestWithFields(RequestView request, HeaderFields fields) {
    this(request, fields, known(request, fields));
  }

  /**
   * A request without some of its fields and with others; itself where nothing changes.
   *
   * @param isRemoved by names in lower case
   * @param added none of which is a {@link KnownField}
   */
  public static RequestView replacing(
      RequestView request, Predicate<String> isRemoved, HeaderFields added) {
    HeaderFields.Builder kept = HeaderFields.builder();
    int[] removed = {0};
    request
        .fields()
        .forEach((name, value) -> {
          if (isRemoved.test(name.toString().toLowerCase(Locale.ROOT))) {
            removed[0]++;
          } else {
            kept.add(name, value);
          }
        });
    added.forEach(kept::add);
    return removed[0] == 0 && added.size() == 0
        ? request
        : new RequestWithFields(request, kept.build());
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
