package io.forebay.server.config;

import io.forebay.core.key.NamePatterns;
import io.forebay.server.config.ConfigValues.Raw;
import io.forebay.server.config.SigningConfig.HmacConfig;
import io.forebay.server.config.SigningConfig.S3Config;
import io.forebay.server.config.SigningConfig.StaticField;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads how requests to an origin are marked and signed. */
final class SigningBinder extends Binder {
  private static final int MAX_FIELDS = 32;
  private static final String HOST = "[A-Za-z0-9._-]+(:[0-9]{1,5})?";
  private static final List<Field<?, ?>> OF_S3 =
      List.of(
          ConfigKeys.S3_BUCKET,
          ConfigKeys.S3_ADDRESSING,
          ConfigKeys.S3_REGION,
          ConfigKeys.S3_ACCESS_KEY,
          ConfigKeys.S3_SECRET_KEY,
          ConfigKeys.S3_SECRET_KEY_FILE,
          ConfigKeys.S3_SESSION_TOKEN,
          ConfigKeys.S3_SESSION_TOKEN_FILE,
          ConfigKeys.S3_PARAMETERS);
  private static final List<Field<?, ?>> OF_HMAC =
      List.of(ConfigKeys.HMAC_KEY_ID, ConfigKeys.HMAC_KEY, ConfigKeys.HMAC_KEY_FILE);

  SigningBinder(ConfigValues values, List<ConfigProblem> problems, Map<String, String> sources) {
    super(values, problems, sources);
  }

  /** Of the origin whose keys begin with {@code scope}. */
  SigningConfig bind(String scope) {
    SourceLocation s3Place = firstGiven(scope, OF_S3);
    SourceLocation hmacPlace = firstGiven(scope, OF_HMAC);
    if (s3Place != null && hmacPlace != null) {
      problems.add(hmacPlace.problem(scope + ".hmac", "s3 is given as well", "keep one of them"));
    }
    Raw host = values.get(scope + "." + ConfigKeys.ORIGIN_HOST.name());
    if (s3Place != null && host != null && !host.text().strip().matches(HOST)) {
      problems.add(
          host.place()
              .problem(
                  scope + "." + ConfigKeys.ORIGIN_HOST.name(),
                  "not a host that can be signed",
                  "write NAME or NAME:PORT"));
    }
    SigningConfig signatures =
        new SigningConfig(
            List.of(),
            s3Place == null ? null : s3(scope, s3Place),
            hmacPlace == null ? null : hmac(scope, hmacPlace));
    List<StaticField> fields = fields(scope, new NamePatterns(signatures.replacedFields()));
    return fields.isEmpty() && !signatures.isSigning()
        ? SigningConfig.NONE
        : new SigningConfig(fields, signatures.s3(), signatures.hmac());
  }

  private @Nullable SourceLocation firstGiven(String scope, List<Field<?, ?>> fields) {
    return givenPlace(
        fields.stream().map(field -> scope + "." + field.name()).toArray(String[]::new));
  }

  private S3Config s3(String scope, SourceLocation place) {
    return new S3Config(
        needed(scope, ConfigKeys.S3_BUCKET, place),
        given(scope, ConfigKeys.S3_ADDRESSING),
        needed(scope, ConfigKeys.S3_REGION, place),
        needed(scope, ConfigKeys.S3_ACCESS_KEY, place),
        neededSecret(scope, ConfigKeys.S3_SECRET_KEY, ConfigKeys.S3_SECRET_KEY_FILE, place),
        secret(scope, ConfigKeys.S3_SESSION_TOKEN, ConfigKeys.S3_SESSION_TOKEN_FILE),
        given(scope, ConfigKeys.S3_PARAMETERS));
  }

  private HmacConfig hmac(String scope, SourceLocation place) {
    return new HmacConfig(
        needed(scope, ConfigKeys.HMAC_KEY_ID, place),
        neededSecret(scope, ConfigKeys.HMAC_KEY, ConfigKeys.HMAC_KEY_FILE, place));
  }

  private List<StaticField> fields(String scope, NamePatterns ofSignatures) {
    List<StaticField> fields = new ArrayList<>();
    for (Map.Entry<String, SourceLocation> entry :
        values.instances(ConfigKeys.ORIGIN_HEADERS.at(scope)).entrySet()) {
      String own = scope + ".headers." + entry.getKey();
      SourceLocation place = entry.getValue();
      String name = needed(own, ConfigKeys.HEADER_NAME, place);
      if (ofSignatures.matches(name, 0, name.length())) {
        problems.add(
            place.problem(own + ".name", name + " is set by the signature", "remove this entry"));
      }
      if (fields.stream().anyMatch(field -> field.name().equals(name))
          && values.get(own + ".name") != null) {
        problems.add(place.problem(own + ".name", name + " is set twice", "keep one of them"));
      }
      String listed = scope + ".headers." + fields.size();
      Secret value =
          neededSecret(own, ConfigKeys.HEADER_VALUE, ConfigKeys.HEADER_VALUE_FILE, place);
      for (Field<StaticField, ?> field : ConfigKeys.ORIGIN_HEADERS.fields()) {
        Raw raw = values.get(own + "." + field.name());
        if (raw != null) {
          sources.put(listed + "." + field.name(), raw.place().text());
        }
      }
      fields.add(new StaticField(name, value));
    }
    if (fields.size() > MAX_FIELDS) {
      problems.add(
          firstPlace(scope + ".headers.0.name")
              .problem(
                  scope + ".headers", fields.size() + " fields", "list at most " + MAX_FIELDS));
    }
    return fields;
  }
}
