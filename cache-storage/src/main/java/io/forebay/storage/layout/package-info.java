/** Pictures of the bytes: where every field of every structure lies. */
@NullMarked
package io.forebay.storage.layout;

import org.jspecify.annotations.NullMarked;
