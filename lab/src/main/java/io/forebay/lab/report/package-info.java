/** What a reader gets of results: one HTML page, Markdown, plots. */
@NullMarked
package io.forebay.lab.report;

import org.jspecify.annotations.NullMarked;
