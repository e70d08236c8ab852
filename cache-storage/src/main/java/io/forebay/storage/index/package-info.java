/** From a key to where its record lies. */
@NullMarked
package io.forebay.storage.index;

import org.jspecify.annotations.NullMarked;
