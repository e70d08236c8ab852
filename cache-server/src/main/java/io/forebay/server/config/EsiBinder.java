package io.forebay.server.config;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** Binds what routes say of ESI. */
final class EsiBinder extends Binder {

  EsiBinder(ConfigValues values, List<ConfigProblem> problems, Map<String, String> sources) {
    super(values, problems, sources);
  }

  EsiConfig ofRoute(String scope) {
    return new EsiConfig(
        given(scope, EsiKeys.ENABLED),
        Set.copyOf(given(scope, EsiKeys.MEDIA_TYPES)),
        given(scope, EsiKeys.OTHER_HOSTS),
        new EsiConfig.Limits(
            given(scope, EsiKeys.DEPTH),
            given(scope, EsiKeys.INCLUDES),
            given(scope, EsiKeys.PARALLEL),
            given(scope, EsiKeys.FRAGMENT),
            given(scope, EsiKeys.PAGE),
            given(scope, EsiKeys.TIMEOUT)));
  }
}
