/**
 * Attacks on a running edge while bystanders load it: what the attack costs them. Run by hand;
 * {@link io.forebay.benchmarks.attack.AttackLab} has the command.
 */
@NullMarked
package io.forebay.benchmarks.attack;

import org.jspecify.annotations.NullMarked;
