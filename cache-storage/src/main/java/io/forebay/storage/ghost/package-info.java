/**
 * What a cache remembers of keys it does not hold: fingerprints of what it dropped or passed by.
 */
@NullMarked
package io.forebay.storage.ghost;

import org.jspecify.annotations.NullMarked;
