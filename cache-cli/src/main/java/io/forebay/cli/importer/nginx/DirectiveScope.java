package io.forebay.cli.importer.nginx;

import io.forebay.cli.importer.model.Directive;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The statements of a block and what it inherits: as for nginx, a statement in a block replaces all
 * statements of that name around it.
 *
 * @param outer the scope around it, or null for the outermost
 */
record DirectiveScope(@Nullable DirectiveScope outer, List<Directive> own) {

  /** The statement of that name that holds here, or null. */
  @Nullable Directive find(String name) {
    List<Directive> found = all(name);
    return found.isEmpty() ? null : found.getLast();
  }

  /** The statements of that name that hold here. */
  List<Directive> all(String name) {
    List<Directive> here = own(name);
    return here.isEmpty() && outer != null ? outer.all(name) : here;
  }

  /** The statements of that name in the block itself. */
  List<Directive> own(String name) {
    return own.stream().filter(each -> each.name().equals(name)).toList();
  }

  /** The statements of these names that hold here, in their order. */
  List<Directive> all(Set<String> names) {
    List<Directive> here = own.stream().filter(each -> names.contains(each.name())).toList();
    return here.isEmpty() && outer != null ? outer.all(names) : here;
  }

  DirectiveScope inner(List<Directive> block) {
    return new DirectiveScope(this, block);
  }
}
