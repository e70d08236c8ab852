/** Whether two runs differ by more than their noise. */
@NullMarked
package io.forebay.lab.compare;

import org.jspecify.annotations.NullMarked;
