/**
 * Basic authentication (RFC 7617): credentials of requests, and passwords that are verified off the
 * event loops. Start at {@link PasswordVerifier}. {@link VerifierThreads} and {@link VerdictTable}
 * serve tokens and forward authentication as well.
 *
 * <pre>
 *   Authorization ──► Credentials ──► verified lately? ──► admitted at once
 *                                          │ no
 *                                          ▼
 *                       bounded queue ──► threads: bcrypt ──► back to the loop
 * </pre>
 */
@NullMarked
package io.forebay.server.protect.auth;

import org.jspecify.annotations.NullMarked;
