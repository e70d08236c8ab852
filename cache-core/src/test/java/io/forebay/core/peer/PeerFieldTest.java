package io.forebay.core.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PeerFieldTest {
  private static final String HEX = "0123456789abcdef0123456789abcdef";
  private static final PeerRequestField ASK =
      new PeerRequestField("eu", "edge-7.fra", 0, 1, HEX, 81_217, "https", HEX);

  @Test
  void whatIsPrintedIsRead() {
    assertEquals(
        "v=1, cluster=eu, from=edge-7.fra, tier=0, hop=1, purge="
            + HEX
            + ":81217, scheme=https, key="
            + HEX,
        ASK.toString());
    assertEquals(ASK, PeerRequestField.parse(ASK.toString()));
    for (PeerResponseField.Source source : PeerResponseField.Source.values()) {
      PeerResponseField answer = new PeerResponseField("edge-2", source);
      assertEquals(answer, PeerResponseField.parse(answer.toString()));
    }
  }

  @Test
  void theOrderOfParametersIsFree() {
    String other =
        "key=%s, scheme=https, purge=%s:81217, hop=1, tier=0, from=edge-7.fra, cluster=eu, v=1"
            .formatted(HEX, HEX);
    assertEquals(ASK, PeerRequestField.parse(other));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "v=1|v=2",
        "v=1, |",
        "v=1|v=1, v=1",
        "cluster=eu|cluster=",
        "cluster=eu|cluster=e u",
        "cluster=eu|cluster=\"eu\"",
        "cluster=eu|Cluster=eu",
        "from=edge-7.fra|from=edge;7",
        "from=edge-7.fra, |",
        "tier=0|tier=8",
        "tier=0|tier=-1",
        "tier=0|tier=00",
        "hop=1|hop=+1",
        "hop=1|hop=10",
        "hop=1|hop=1, hop=1",
        ":81217|:",
        ":81217|:-1",
        ":81217|:081217",
        ":81217|:1234567890123456789",
        ":81217|81217",
        "purge=0|purge=G",
        "purge=01|purge=",
        "scheme=https|scheme=ftp",
        "scheme=https|scheme=https, more=1",
        "key=0|key=A",
        "key=01|key=",
        ", |,",
        ", |,  ",
      })
  void whatIsNotOfTheFormIsRefused(String change) {
    int bar = change.indexOf('|');
    String hostile =
        ASK.toString().replaceFirst(quoted(change.substring(0, bar)), change.substring(bar + 1));
    assertNull(PeerRequestField.parse(hostile), hostile);
  }

  private static String quoted(String text) {
    return java.util.regex.Pattern.quote(text);
  }

  @Test
  void lengthAndNumberOfParametersAreBounded() {
    assertNull(PeerRequestField.parse(""));
    assertNull(PeerRequestField.parse("v=1"));
    assertNull(PeerRequestField.parse(ASK + ", " + "a=b, ".repeat(1000)));
    assertNull(PeerRequestField.parse(ASK.toString().replace("edge-7.fra", "e".repeat(257))));
    assertNull(PeerRequestField.parse("\u0000"));
    assertNull(PeerResponseField.parse("v=1, node=edge-2"));
    assertNull(PeerResponseField.parse("v=1, node=edge-2, source=STORE"));
    assertNull(PeerResponseField.parse("v=1, node=edge-2, source=store, source=store"));
    assertNull(PeerResponseField.parse("v=1, node=edge-2, source=elsewhere"));
  }
}
