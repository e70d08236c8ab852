/**
 * Package key: derives the key text of a request, its keyed 128-bit hash, and the scopes by which
 * purges select responses.
 */
@NullMarked
package io.forebay.core.key;

import org.jspecify.annotations.NullMarked;
