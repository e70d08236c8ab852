@NullMarked
package io.forebay.server.origin.call;

import org.jspecify.annotations.NullMarked;
