/** Read-only inspection of a store, running or at rest: walks, listings, figures, checks. */
@NullMarked
package io.forebay.storage.inspect;

import org.jspecify.annotations.NullMarked;
