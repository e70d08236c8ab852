package io.forebay.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.plugin.test.PluginTester;
import io.forebay.plugin.test.TestRequest;
import io.forebay.plugin.test.TestResponse;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The test kit makes the checks of a node, and values refuse what a node would not take. */
final class PluginTesterTest {

  /** Gives what it was told to. */
  @PluginInfo(name = "fixed", api = Plugin.API_VERSION)
  private record Fixed(Handler handler) implements Plugin {
    @Override
    public Handler handler(PluginConfig config) throws PluginConfigException {
      long ignored = config.number("size", 5, 0, 10);
      return handler;
    }
  }

  private static PluginTester tester(Handler handler) throws PluginConfigException {
    return PluginTester.of(new Fixed(handler), Map.of());
  }

  @Test
  void aHandlerIsAskedInThePhasesThatItHas() throws Exception {
    RequestPhase handler = request -> RequestDecision.deny(403, request.path());
    try (PluginTester tester = tester(handler)) {
      TestRequest request = TestRequest.get("https://a.example/x?y=1");
      assertEquals(RequestDecision.deny(403, "/x"), tester.onRequest(request));
      assertEquals(OriginRequestEdits.NONE, tester.onOriginRequest(request, ""));
      assertEquals(StoreDecision.AS_USUAL, tester.onOriginResponse(TestResponse.of(200)));
      assertEquals(FieldEdits.NONE, tester.onDelivery(request, TestResponse.of(200)));
    }
  }

  @Test
  void aHandlerWithoutPhaseIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> tester(new Handler() {}));
  }

  @Test
  void aGroupThatWasNotDeclaredIsRefused() throws Exception {
    RequestPhase handler = request -> RequestDecision.proceed().inGroup("a");
    try (PluginTester tester = tester(handler)) {
      assertThrows(
          IllegalArgumentException.class,
          () -> tester.onRequest(TestRequest.get("http://a.example/")));
    }
  }

  @Test
  void wrongConfigurationIsRefused() {
    Fixed plugin = new Fixed((RequestPhase) request -> RequestDecision.proceed());
    PluginConfigException range =
        assertThrows(
            PluginConfigException.class, () -> PluginTester.of(plugin, Map.of("size", "11")));
    assertEquals("size", range.key());
    PluginConfigException unknown =
        assertThrows(
            PluginConfigException.class, () -> PluginTester.of(plugin, Map.of("sise", "1")));
    assertEquals("sise", unknown.key());
    assertThrows(
        PluginConfigException.class,
        () -> PluginTester.of(plugin, new PluginConfig(Map.of("size", List.of("1", "2")))));
  }

  @Test
  void fieldsOfTheNodeAndWhatIsNoFieldAreRefused() {
    FieldEdits framing = FieldEdits.NONE.set("Content-Length", "5");
    assertThrows(IllegalArgumentException.class, () -> OriginRequestEdits.of(framing));
    assertThrows(
        IllegalArgumentException.class,
        () -> RequestDecision.proceed().withResponseFields(framing));
    assertThrows(IllegalArgumentException.class, () -> PluginContract.delivered(framing));
    FieldEdits none = FieldEdits.NONE;
    assertThrows(IllegalArgumentException.class, () -> none.set("a b", "c"));
    assertThrows(IllegalArgumentException.class, () -> none.add("a", "b\r\nc: d"));
    assertThrows(IllegalArgumentException.class, () -> none.remove(""));
    assertEquals(List.of(new FieldEdits.Line("x-a", "b")), none.set("X-A", " b ").set());
  }

  @Test
  void answersThatCannotBeAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> RequestDecision.deny(200, "fine"));
    assertThrows(IllegalArgumentException.class, () -> RequestDecision.redirect(200, "/a"));
    assertThrows(IllegalArgumentException.class, () -> RequestDecision.redirect(302, "/a\r\nb: c"));
    assertThrows(IllegalArgumentException.class, () -> RequestDecision.respond(304, "a/b", ""));
    assertThrows(
        IllegalArgumentException.class, () -> OriginRequestEdits.NONE.at("//a\r\nHost: b"));
    assertThrows(IllegalArgumentException.class, () -> OriginRequestEdits.NONE.at("a"));
  }

  @Test
  void parametersAreDecoded() {
    TestRequest request = TestRequest.get("http://a.example/?a=1%2B2&b&c=x%20y&a=3&d=%25");
    assertEquals(Optional.of("1+2"), request.parameter("a"));
    assertEquals(Optional.of(""), request.parameter("b"));
    assertEquals(Optional.of("x y"), request.parameter("c"));
    assertEquals(Optional.of("%"), request.parameter("d"));
    assertTrue(request.parameter("e").isEmpty());
  }
}
