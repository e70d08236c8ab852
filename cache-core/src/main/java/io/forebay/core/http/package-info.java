/** Package http: HTTP messages as values: fields, targets, dates, ranges, validators. */
@NullMarked
package io.forebay.core.http;

import org.jspecify.annotations.NullMarked;
