package io.forebay.cli.importer.vcl;

import io.forebay.cli.importer.model.Directive;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A file of VCL with what it includes.
 *
 * @param directives all statements, those within others in their blocks
 * @param subs the statements of each {@code sub}; several of one name follow one another
 */
record VclProgram(
    List<Directive> directives,
    Map<String, Backend> backends,
    Map<String, Probe> probes,
    Map<String, Acl> acls,
    Map<String, List<VclStatement>> subs) {

  /** A setting such as {@code .host = "a"}: a value, the name of a probe, or a block. */
  record Setting(
      Directive of, String name, List<VclExpression> values, @Nullable List<Setting> block) {}

  record Backend(Directive of, String name, List<Setting> settings) {}

  record Probe(Directive of, List<Setting> settings) {}

  /** Networks, in their order. */
  record Acl(Directive of, List<Entry> entries) {}

  /**
   * One network of an ACL.
   *
   * @param bits length of its prefix, or -1
   */
  record Entry(Directive of, boolean isNegated, String address, int bits) {}

  static VclProgram empty(List<Directive> directives) {
    return new VclProgram(
        directives,
        new LinkedHashMap<>(),
        new LinkedHashMap<>(),
        new LinkedHashMap<>(),
        new LinkedHashMap<>());
  }

  List<VclStatement> sub(String name) {
    return subs.getOrDefault(name, List.of());
  }
}
