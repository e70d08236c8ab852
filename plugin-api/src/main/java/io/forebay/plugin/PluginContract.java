package io.forebay.plugin;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** What a node demands of plugins; the test kit demands the same. */
public final class PluginContract {
  private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,63}");
  private static final int MAX_GROUPS = 63;

  private PluginContract() {}

  /**
   * The name of a plugin.
   *
   * @throws IllegalArgumentException with what is wrong of its {@link PluginInfo}
   */
  public static String name(Class<?> plugin) {
    PluginInfo info = plugin.getAnnotation(PluginInfo.class);
    if (info == null) {
      throw new IllegalArgumentException("class " + plugin.getName() + " has no @PluginInfo");
    }
    if (info.api() != Plugin.API_VERSION) {
      throw new IllegalArgumentException(
          "class "
              + plugin.getName()
              + " was compiled against version "
              + info.api()
              + " of the plugin API, and this node has version "
              + Plugin.API_VERSION);
    }
    if (!NAME.matcher(info.name()).matches()) {
      throw new IllegalArgumentException(
          "class "
              + plugin.getName()
              + ": a name has 1 to 64 lower-case letters, digits and -, not \""
              + info.name()
              + "\"");
    }
    return info.name();
  }

  /**
   * The groups of a handler, checked.
   *
   * @throws IllegalArgumentException if it has no phase, or groups that cannot be
   */
  public static List<Group> groups(Handler handler) {
    if (!(handler instanceof RequestPhase
        || handler instanceof OriginRequestPhase
        || handler instanceof OriginResponsePhase
        || handler instanceof DeliveryPhase)) {
      throw new IllegalArgumentException(
          "its handler has no phase: "
              + handler.getClass().getName()
              + " implements none of RequestPhase, OriginRequestPhase, OriginResponsePhase and"
              + " DeliveryPhase");
    }
    List<Group> groups =
        handler instanceof RequestPhase phase ? List.copyOf(phase.groups()) : List.of();
    Set<String> names = new HashSet<>();
    for (Group group : groups) {
      if (!names.add(group.name())) {
        throw new IllegalArgumentException("two groups are named " + group.name());
      }
    }
    if (groups.size() > MAX_GROUPS) {
      throw new IllegalArgumentException(
          groups.size() + " groups; at most " + MAX_GROUPS + " are possible");
    }
    return groups;
  }

  /**
   * The number of the group that a decision names, from 1; 0 for none.
   *
   * @throws IllegalArgumentException if there is no such group
   */
  public static int groupNumber(List<Group> groups, RequestDecision.Proceed decision) {
    if (decision.group().isEmpty()) {
      return 0;
    }
    for (int i = 0; i < groups.size(); i++) {
      if (groups.get(i).name().equals(decision.group().get())) {
        return i + 1;
      }
    }
    throw new IllegalArgumentException(
        "group " + decision.group().get() + " is not one of the handler's groups");
  }

  /**
   * Changes of a response, checked.
   *
   * @throws IllegalArgumentException if they are about fields that the node decides about
   */
  public static FieldEdits delivered(FieldEdits edits) {
    edits.requireNone(FieldEdits.RESERVED_IN_RESPONSES);
    return edits;
  }
}
