package io.forebay.server.protect;

import io.forebay.core.http.ForwardingRequest;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.KnownField;
import io.forebay.core.http.RequestView;
import io.forebay.core.key.NamePatterns;
import io.forebay.core.key.QueryRecipe;
import io.forebay.core.route.CookieFilter;
import io.forebay.core.route.RequestWithFields;
import io.forebay.server.config.ForwardAuthConfig;
import io.forebay.server.config.JwtConfig;
import io.forebay.server.config.JwtConfig.TokenPlace;
import io.forebay.server.config.ProtectionProfile;
import io.forebay.server.config.ProtectionProfile.BasicAuthConfig;
import io.forebay.server.config.ProtectionProfile.SignedUrlConfig;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Takes the credentials that a protection checks out of requests, so that nothing behind it depends
 * on them: no key, no rule of RFC 9111, no origin and no log. Immutable; any thread.
 *
 * @param hasField whether the Authorization field is one
 * @param query what is left of queries
 * @param hasParameters whether a query may have one
 */
record CredentialFilter(
    boolean hasField, CookieFilter cookies, QueryRecipe query, boolean hasParameters) {

  static CredentialFilter of(ProtectionProfile profile) {
    BasicAuthConfig passwords = profile.basicAuth();
    JwtConfig jwt = profile.jwt();
    boolean hasField = passwords != null && !passwords.isForwarded();
    SignedUrlConfig urls = profile.signedUrls();
    Set<String> cookies = new HashSet<>(urls == null ? List.of() : urls.cookies());
    if (jwt != null && !jwt.isForwarded()) {
      hasField |= jwt.reads(TokenPlace.Kind.BEARER);
      cookies.addAll(jwt.names(TokenPlace.Kind.COOKIE));
    }
    ForwardAuthConfig forward = profile.forwardAuth();
    if (forward != null && !forward.isForwarded()) {
      hasField |= forward.readsAuthorization();
      cookies.addAll(forward.cookies());
    }
    List<String> parameters = profile.credentialParameters();
    return new CredentialFilter(
        hasField,
        CookieFilter.strip(cookies),
        new QueryRecipe(false, false, new NamePatterns(parameters), NamePatterns.NONE),
        !parameters.isEmpty());
  }

  RequestView requestWithout(RequestView request) {
    RequestView left = cookies.requestWithout(request);
    if (hasField && request.has(KnownField.AUTHORIZATION)) {
      left = RequestWithFields.replacing(left, "authorization"::equals, HeaderFields.EMPTY);
    }
    return !hasParameters || request.query() == null
        ? left
        : new RequestWithQuery(left, query.canonical(request.query()));
  }

  @Nullable CharSequence queryWithout(CharSequence received) {
    return hasParameters ? query.canonical(received.toString()) : received;
  }

  private record RequestWithQuery(RequestView request, @Nullable String query)
      implements ForwardingRequest {}
}
