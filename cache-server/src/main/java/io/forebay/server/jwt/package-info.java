/**
 * JSON Web Tokens (RFC 7519) that others signed: keys, and what is checked of a token. Pure
 * functions over jose4j, which reads keys and verifies signatures; everything that decides which
 * key and algorithm count is here. Start at {@link JwtVerifier}.
 *
 * <pre>
 *   token ──► three strict base64url parts ──► header: algorithm listed? no crit, no nesting
 *                                                 │ kid
 *   JWK set ──► VerificationKeys ──► candidates ──┴─► signature ──► exp, nbf, iat, iss, aud, claims
 *                                                                        └─► JwtVerdict
 * </pre>
 *
 * Nothing that a token says leads anywhere: {@code jku}, {@code jwk}, {@code x5u} and {@code x5c}
 * are not read.
 */
@NullMarked
package io.forebay.server.jwt;

import org.jspecify.annotations.NullMarked;
