/**
 * Package policy: RFC 9111 as pure functions: what may be stored, how fresh it is, what to do with
 * a request, and why.
 */
@NullMarked
package io.forebay.core.policy;

import org.jspecify.annotations.NullMarked;
