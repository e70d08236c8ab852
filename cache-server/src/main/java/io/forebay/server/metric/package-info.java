/** Package metric: counters per loop, the metrics registry and the access log. */
@NullMarked
package io.forebay.server.metric;

import org.jspecify.annotations.NullMarked;
