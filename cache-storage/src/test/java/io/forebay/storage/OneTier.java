package io.forebay.storage;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/**
 * A test whose figures hold only without middle tiers, or that would be the same with them: it is
 * left out where {@link StoreFixture} gives each store one.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Tag("one-tier")
@DisabledIfSystemProperty(named = "test.middle-tier", matches = "true")
@interface OneTier {
  /** Why. */
  String value();
}
