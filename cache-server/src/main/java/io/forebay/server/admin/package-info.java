/** Package admin: the admin API. */
@NullMarked
package io.forebay.server.admin;

import org.jspecify.annotations.NullMarked;
