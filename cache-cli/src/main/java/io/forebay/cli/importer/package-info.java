/**
 * {@code forebay import}: turns the configuration of another server into one of this node, and
 * accounts for every directive of it.
 *
 * <pre>
 *   nginx.conf ──► nginx.NginxImport ─┐
 *   default.vcl ─► vcl.VclImport ─────┼─► model.ConfigDraft ─► YAML
 *                  (with includes)    └─► model.ImportReport
 *                                     each directive has a verdict in the report:
 *                                     taken, adapted, unneeded or left
 * </pre>
 *
 * <p>Start at {@link io.forebay.cli.importer.ImportCommand}; {@code ImportFormat} has a line for
 * each program.
 */
@NullMarked
package io.forebay.cli.importer;

import org.jspecify.annotations.NullMarked;
