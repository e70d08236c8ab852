/** Package config: the YAML file, environment and flags as one immutable tree of records. */
@NullMarked
package io.forebay.server.config;

import org.jspecify.annotations.NullMarked;
