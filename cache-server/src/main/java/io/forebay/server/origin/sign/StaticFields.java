package io.forebay.server.origin.sign;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.config.SigningConfig.StaticField;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Sets fields in place of the client's. */
final class StaticFields implements RequestSigner {
  private final List<StaticField> fields;
  private final Set<String> names;

  StaticFields(List<StaticField> fields) {
    this.fields = List.copyOf(fields);
    this.names = fields.stream().map(StaticField::name).collect(Collectors.toUnmodifiableSet());
  }

  @Override
  public SignableRequest sign(SignableRequest request) {
    HeaderFields.Builder out = HeaderFields.builder();
    HeaderFields given = request.fields();
    for (int i = 0; i < given.size(); i++) {
      if (!names.contains(given.name(i))) {
        out.add(given.name(i), given.value(i));
      }
    }
    for (StaticField field : fields) {
      out.add(field.name(), field.value().value());
    }
    return request.with(request.target(), out.build());
  }

  @Override
  public List<String> notes() {
    return List.of(
        "the node sets "
            + fields.stream().map(StaticField::name).collect(Collectors.joining(", "))
            + " of the request to the origin");
  }
}
