/**
 * Signed URLs: links that are valid for a time, a path or what is below it, and if wanted a client
 * network. Start at {@link UrlSignature}.
 *
 * <pre>
 *   url-keys ──► UrlSignature ◄── request: path, query, host, client
 *                  ├─ UrlToken: HMAC-SHA256 over what the token admits; also made here
 *                  ├─ NginxSecureLink: the recipe of nginx's secure_link_md5
 *                  └─ CloudFrontSignature: signed policies of CloudFront, in query or cookies
 * </pre>
 *
 * <p>{@link DebugToken} signs no URL, but a time until which a client may debug.
 */
@NullMarked
package io.forebay.server.protect.url;

import org.jspecify.annotations.NullMarked;
