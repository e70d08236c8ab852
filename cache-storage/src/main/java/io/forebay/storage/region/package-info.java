/** Regions: reservation, generations, holds and pins. */
@NullMarked
package io.forebay.storage.region;

import org.jspecify.annotations.NullMarked;
