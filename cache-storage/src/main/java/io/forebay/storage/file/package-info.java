/** Opens files so that no other user can read, replace or redirect them. */
@NullMarked
package io.forebay.storage.file;

import org.jspecify.annotations.NullMarked;
