package io.forebay.server.rule;

import org.jspecify.annotations.Nullable;

/**
 * A rule that holds for a request.
 *
 * @param call what its extension says, or null where it has none
 */
record HeldRule(Rule rule, @Nullable ExtensionCall call) {}
