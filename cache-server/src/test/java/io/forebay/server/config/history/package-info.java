@NullMarked
package io.forebay.server.config.history;

import org.jspecify.annotations.NullMarked;
