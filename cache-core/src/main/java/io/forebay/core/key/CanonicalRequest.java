package io.forebay.core.key;

import io.forebay.core.http.AcceptClasses;
import io.forebay.core.http.AcceptLanguage;
import io.forebay.core.http.FieldName;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.QueryRequest;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.http.TargetUri;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The request that a fill sends in place of the client's. For everything in the key recipe it
 * contains exactly what the key contains, so the first client cannot influence a response that
 * other clients with the same key receive. Its key equals that of the client's request.
 */
public final class CanonicalRequest {
  private CanonicalRequest() {}

  /** A copy that outlives the request. */
  public static RequestView of(RequestView request, String method, KeyRecipe recipe) {
    TargetUri uri = recipe.url().canonical(TargetUri.of(request));
    Set<String> replaced = recipe.replacedFields();
    HeaderFields.Builder out = HeaderFields.builder();
    request
        .fields()
        .forEach((name, value) -> {
          String lower = FieldName.lowerCase(name);
          if (!replaced.contains(lower) && !recipe.fields().drops(lower)) {
            out.add(name, value);
          }
        });
    addNamed(out, request, recipe.fields());
    addLanguage(out, request, recipe.fields());
    addAccept(out, request, recipe.fields().accept());
    SyntheticRequest copy = SyntheticRequest.of(method, uri, out.build());
    String content = request.contentDigest();
    return content == null ? copy : new QueryRequest(copy, content);
  }

  /** Names of the fields that it writes itself, or leaves out. */
  static Set<String> replacedFields(UrlRecipe url, FieldRecipe fields) {
    Set<String> replaced = new HashSet<>(fields.ignored());
    replaced.addAll(fields.headers());
    replaced.add("accept-language");
    if (!fields.cookies().isEmpty()) {
      replaced.add("cookie");
    }
    if (!fields.accept().isEmpty()) {
      replaced.add("accept");
    }
    if (fields.hasDevice()) {
      replaced.addAll(List.of(DeviceClass.USER_AGENT, DeviceClass.MOBILE_HINT, DeviceClass.FIELD));
    }
    // What a trusted proxy says of the URL would tell the origin what the key leaves out.
    if (url.host() != null || !url.hasPort()) {
      replaced.addAll(List.of("x-forwarded-host", "forwarded"));
    }
    if (!url.hasScheme()) {
      replaced.addAll(List.of("x-forwarded-proto", "forwarded"));
    }
    return Set.copyOf(replaced);
  }

  private static void addNamed(HeaderFields.Builder out, RequestView request, FieldRecipe recipe) {
    for (String name : recipe.headers()) {
      List<String> lines =
          name.equals("accept-language")
              ? normal(AcceptLanguage.of(request.fields()))
              : request.fields().all(name);
      if (!lines.isEmpty()) {
        out.add(name, folded(lines));
      }
    }
    if (!recipe.cookies().isEmpty()) {
      List<String> pairs = new ArrayList<>();
      for (String name : recipe.cookies()) {
        Cookies.visit(
            request.fields(),
            (line, from, equals, to) -> {
              if (Cookies.isNamed(line, from, equals, name)) {
                pairs.add(name + "=" + line.subSequence(equals + 1, to));
              }
            });
      }
      if (!pairs.isEmpty()) {
        out.add("cookie", String.join("; ", pairs));
      }
    }
    if (recipe.hasDevice()) {
      DeviceClass device = DeviceClass.of(request.fields());
      out.add(DeviceClass.USER_AGENT, device.userAgent());
      out.add(DeviceClass.MOBILE_HINT, device == DeviceClass.MOBILE ? "?1" : "?0");
      out.add(DeviceClass.FIELD, device.label());
    }
  }

  private static List<String> normal(String language) {
    return language.isEmpty() ? List.of() : List.of(language);
  }

  private static void addLanguage(
      HeaderFields.Builder out, RequestView request, FieldRecipe recipe) {
    if (recipe.ignored().contains("accept-language")) {
      return;
    }
    String language = AcceptLanguage.of(request.fields());
    if (!recipe.languages().isEmpty()) {
      AcceptLanguage wanted = AcceptLanguage.read(request.fields());
      language = recipe.languages().get(wanted.lookup(recipe.languages()));
    }
    if (!language.isEmpty() && !recipe.headers().contains("accept-language")) {
      out.add("accept-language", language);
    }
  }

  private static void addAccept(
      HeaderFields.Builder out, RequestView request, AcceptClasses classes) {
    if (!classes.isEmpty()) {
      out.add("accept", classes.value(classes.classOf(request.fields())));
    }
  }

  /** All lines in one, runs of blanks as one blank: as the key has them. */
  private static String folded(List<String> lines) {
    return lines.stream()
        .map(line -> line.strip().replaceAll("[ \t]+", " "))
        .filter(line -> !line.isEmpty())
        .collect(Collectors.joining(", "));
  }
}
