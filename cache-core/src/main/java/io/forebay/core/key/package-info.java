/**
 * Package key: from a request to the key text, its keyed 128-bit hash, and the scopes a purge can
 * name.
 */
@NullMarked
package io.forebay.core.key;

import org.jspecify.annotations.NullMarked;
