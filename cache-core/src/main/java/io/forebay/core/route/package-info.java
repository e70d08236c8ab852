/** Package route: which route serves a request and the settings it carries. */
@NullMarked
package io.forebay.core.route;

import org.jspecify.annotations.NullMarked;
