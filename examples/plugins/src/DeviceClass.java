import io.forebay.plugin.ClientRequest;
import io.forebay.plugin.DeliveryPhase;
import io.forebay.plugin.FieldEdits;
import io.forebay.plugin.Group;
import io.forebay.plugin.Handler;
import io.forebay.plugin.OriginRequest;
import io.forebay.plugin.OriginRequestEdits;
import io.forebay.plugin.OriginRequestPhase;
import io.forebay.plugin.OriginResponsePhase;
import io.forebay.plugin.Plugin;
import io.forebay.plugin.PluginConfig;
import io.forebay.plugin.PluginConfigException;
import io.forebay.plugin.PluginInfo;
import io.forebay.plugin.RequestDecision;
import io.forebay.plugin.RequestPhase;
import io.forebay.plugin.Response;
import io.forebay.plugin.StoreDecision;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * Makes three classes out of the many values of {@code User-Agent}: {@code phone}, {@code tablet}
 * and the rest. The class is part of the key, and origin and client are told it in {@code
 * X-Device}.
 *
 * <pre>
 *   plugin: {name: device-class, config: {error-ttl: 10}}     seconds; optional
 * </pre>
 */
@PluginInfo(name = "device-class", api = Plugin.API_VERSION)
public final class DeviceClass implements Plugin {

  @Override
  public Handler handler(PluginConfig config) throws PluginConfigException {
    return new Classes(Duration.ofSeconds(config.number("error-ttl", 10, 0, 3600)));
  }

  private record Classes(Duration errorTtl)
      implements RequestPhase, OriginRequestPhase, OriginResponsePhase, DeliveryPhase {

    @Override
    public List<Group> groups() {
      return List.of(Group.of("phone"), Group.of("tablet"));
    }

    @Override
    public RequestDecision onRequest(ClientRequest request) {
      String device = device(request);
      return device.equals("desktop")
          ? RequestDecision.proceed()
          : RequestDecision.proceed().inGroup(device);
    }

    private static String device(ClientRequest request) {
      String agent = request.fields().first("user-agent").orElse("").toLowerCase(Locale.ROOT);
      if (agent.contains("ipad") || agent.contains("tablet")) {
        return "tablet";
      }
      return agent.contains("mobile") ? "phone" : "desktop";
    }

    @Override
    public OriginRequestEdits onOriginRequest(OriginRequest request) {
      String device = request.group().isEmpty() ? "desktop" : request.group();
      return OriginRequestEdits.of(FieldEdits.NONE.set("X-Device", device));
    }

    @Override
    public StoreDecision onOriginResponse(Response response) {
      return response.status() >= 500
          ? StoreDecision.AS_USUAL.withTtl(errorTtl)
          : StoreDecision.AS_USUAL;
    }

    @Override
    public FieldEdits onDelivery(ClientRequest request, Response response) {
      return FieldEdits.NONE.set("X-Device", device(request));
    }
  }
}
