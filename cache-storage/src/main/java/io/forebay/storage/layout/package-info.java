/** Binary layouts: the offset of every field of every structure. */
@NullMarked
package io.forebay.storage.layout;

import org.jspecify.annotations.NullMarked;
