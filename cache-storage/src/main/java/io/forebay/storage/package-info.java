/** The store: what the rest of the program sees of bytes at rest. */
@NullMarked
package io.forebay.storage;

import org.jspecify.annotations.NullMarked;
