/**
 * Scenarios as YAML in the words of the published tests, and the profiles that fit them to a
 * machine.
 */
@NullMarked
package io.forebay.lab.scenario;

import org.jspecify.annotations.NullMarked;
