/** Sequences, the purge journal and the table of purged scopes. */
@NullMarked
package io.forebay.storage.purge;

import org.jspecify.annotations.NullMarked;
