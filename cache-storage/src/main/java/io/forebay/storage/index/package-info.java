/** The index: from a key to the location of its record. */
@NullMarked
package io.forebay.storage.index;

import org.jspecify.annotations.NullMarked;
