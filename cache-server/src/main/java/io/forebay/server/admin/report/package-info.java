/**
 * What the admin API answers, as JSON: statistics, stored objects, routes, explanations.
 *
 * <p>Start at {@link StatsReport}. Reports read; they change nothing.
 */
@NullMarked
package io.forebay.server.admin.report;

import org.jspecify.annotations.NullMarked;
