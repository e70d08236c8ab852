package io.forebay.server.config;

import io.forebay.server.config.ConfigValues.Raw;
import io.forebay.server.config.ProtectionProfile.AccessConfig;
import io.forebay.server.network.NetworkFile;
import io.forebay.server.network.NetworkSet;
import io.forebay.server.text.Printable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the profiles of {@code protection} and the files that they name. */
final class ProtectionBinder extends Binder {
  private final List<ProtectionProfile> profiles = new ArrayList<>();

  ProtectionBinder(ConfigValues values, List<ConfigProblem> problems, Map<String, String> sources) {
    super(values, problems, sources);
  }

  List<ProtectionProfile> bind() {
    for (Map.Entry<String, SourceLocation> instance :
        values.instances(ProtectionKeys.PROFILES).entrySet()) {
      String name = instance.getKey();
      String scope = "protection." + name;
      profiles.add(new ProtectionProfile(name, access(scope)));
      for (Field<ProtectionProfile, ?> field : ProtectionKeys.PROFILES.fields()) {
        source(ProtectionKeys.PROFILES, name, field, scope + "." + field.name());
      }
    }
    return List.copyOf(profiles);
  }

  /** The profile that the route of that scope names, or null. */
  @Nullable String ofRoute(String scope, Field<?, String> field) {
    String name = value(scope, field);
    Raw raw = values.get(scope + "." + field.name());
    List<String> known = profiles.stream().map(ProtectionProfile::name).sorted().toList();
    if (name != null && raw != null && !known.contains(name)) {
      problems.add(
          raw.place()
              .problem(
                  scope + "." + field.name(),
                  "there is no profile named " + name + " in protection",
                  Printable.suggestion(name, known)));
    }
    return name;
  }

  private AccessConfig access(String scope) {
    List<String> allow = value(scope, ProtectionKeys.ALLOW);
    List<String> deny = given(scope, ProtectionKeys.DENY);
    Path allowFile = value(scope, ProtectionKeys.ALLOW_FILE);
    Path denyFile = value(scope, ProtectionKeys.DENY_FILE);
    boolean isLimited = allow != null || allowFile != null;
    return new AccessConfig(
        allow,
        deny,
        allowFile,
        denyFile,
        isLimited
            ? networks(scope, ProtectionKeys.ALLOW, allow, ProtectionKeys.ALLOW_FILE, allowFile)
            : null,
        networks(scope, ProtectionKeys.DENY, deny, ProtectionKeys.DENY_FILE, denyFile));
  }

  private NetworkSet networks(
      String scope,
      Field<?, List<String>> field,
      @Nullable List<String> listed,
      Field<?, Path> fileField,
      @Nullable Path file) {
    List<NetworkSet> sets = new ArrayList<>();
    if (listed != null) {
      try {
        sets.add(NetworkSet.of(listed));
      } catch (IllegalArgumentException e) {
        String path = scope + "." + field.name();
        problems.add(firstPlace(path).problem(path, String.valueOf(e.getMessage()), ""));
      }
    }
    if (file != null) {
      try {
        sets.add(NetworkFile.read(file));
      } catch (IOException e) {
        String path = scope + "." + fileField.name();
        problems.add(
            firstPlace(path)
                .problem(
                    path,
                    FileProblem.text(file, e),
                    "write one address or CIDR block on each line"));
      }
    }
    return NetworkSet.union(sets);
  }
}
