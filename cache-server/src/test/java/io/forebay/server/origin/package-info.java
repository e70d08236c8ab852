@NullMarked
package io.forebay.server.origin;

import org.jspecify.annotations.NullMarked;
