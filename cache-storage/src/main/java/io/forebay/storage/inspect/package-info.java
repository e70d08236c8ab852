/** Looking at a store, live or at rest, without changing it: walks, listings, figures, checks. */
@NullMarked
package io.forebay.storage.inspect;

import org.jspecify.annotations.NullMarked;
