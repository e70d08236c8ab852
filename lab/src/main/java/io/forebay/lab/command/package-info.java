/** The commands of {@code ./forebay lab}. Start at {@link io.forebay.lab.command.LabCommand}. */
@NullMarked
package io.forebay.lab.command;

import org.jspecify.annotations.NullMarked;
