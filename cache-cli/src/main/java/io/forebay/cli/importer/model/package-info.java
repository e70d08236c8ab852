/**
 * What every import has: the statements that it read, the configuration that it builds, and the
 * report that has a verdict for each statement.
 */
@NullMarked
package io.forebay.cli.importer.model;

import org.jspecify.annotations.NullMarked;
