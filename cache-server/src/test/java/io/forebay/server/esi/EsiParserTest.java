package io.forebay.server.esi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the parser makes of bodies, wherever their pieces are cut. */
final class EsiParserTest {

  /** Words that bodies of the random test consist of. */
  private static final String[] WORDS = {
    "<esi:include src=\"/a\"/>",
    "<esi:include src='/b' alt = \"/c\" onerror=\"continue\" />",
    "<esi:include src=\"/d\">",
    "</esi:include>",
    "<esi:remove>",
    "</esi:remove>",
    "<esi:comment text=\"x\"/>",
    "<esi:try>",
    "<esi:attempt>",
    "</esi:attempt >",
    "<esi:except>",
    "</esi:except>",
    "</esi:try>",
    "<esi:vars>",
    "</esi:vars>",
    "<esi:choose>",
    "<esi:when test=\"$(A)>'1'\">",
    "</esi:when>",
    "<esi:otherwise>",
    "<esi:inline>",
    "<!--esi",
    "-->",
    "--->",
    "<!-->",
    "<!--",
    "$(HTTP_HOST)",
    "$(HTTP_COOKIE{a}|'b)c')",
    "$(",
    "$$(A)",
    "<",
    "</",
    "<esi:",
    "<es",
    "<<esi:include src=\"/e\"/>",
    "<esi:include src=\"/f",
    "\"",
    "'",
    ">",
    "/>",
    "-",
    "text",
    "\n",
    "\u00e4",
  };

  /** The events of a body as text, whatever the pieces were. */
  private static final class Log implements EsiParser.Handler {
    private final StringBuilder log = new StringBuilder();
    private final StringBuilder text = new StringBuilder();
    private int left;

    private void event(String event) {
      if (!text.isEmpty()) {
        log.append('[').append(text).append(']');
        text.setLength(0);
      }
      log.append(event);
    }

    @Override
    public void text(ByteBuf source, int from, int length) {
      text.append(source.toString(from, length, StandardCharsets.ISO_8859_1));
    }

    @Override
    public void text(byte[] bytes, int length) {
      text.append(new String(bytes, 0, length, StandardCharsets.ISO_8859_1));
    }

    @Override
    public void variable(String expression) {
      event("$" + expression + "$");
    }

    @Override
    public void open(String name, Map<String, String> attributes, boolean isEmpty) {
      event("<" + name + attributes + (isEmpty ? "/>" : ">"));
    }

    @Override
    public void close(String name) {
      event("</" + name + ">");
    }

    @Override
    public void left() {
      left++;
    }

    String whole() {
      event("");
      return log + " " + left;
    }
  }

  private static ByteBuf bytes(String text) {
    return Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1);
  }

  private static String parsed(String body, int... cuts) {
    Log log = new Log();
    EsiParser parser = new EsiParser(log);
    int from = 0;
    for (int cut : cuts) {
      parser.parse(bytes(body.substring(from, cut)));
      from = cut;
    }
    parser.parse(bytes(body.substring(from)));
    parser.end();
    return log.whole();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '`',
      value = {
        "a<esi:include src=\"/x\"/>b ~ [a]<include{src=/x}/>[b] 0",
        "<esi:include src='/x' alt=\"/y\"\tonerror='continue' /> ~ <include{src=/x, alt=/y, onerror=continue}/> 0",
        "<esi:include src=\"/a>b\"/> ~ <include{src=/a>b}/> 0",
        "<esi:include src=\"/x\"></esi:include> ~ <include{src=/x}></include> 0",
        "<esi:remove>a</esi:remove> ~ <remove{}>[a]</remove> 0",
        "<!--esi a<esi:include src=\"/x\"/>-->b--> ~ [ a]<include{src=/x}/>[b-->] 0",
        "<!-- a --> ~ [<!-- a -->] 0",
        "<!--esi a--->b ~ [ a-b] 0",
        "<!--esi <!-->b ~ [ <!b] 0",
        "<!--esi <!--esi a-->b--> ~ [ <!--esi ab-->] 0",
        "$(HTTP_HOST)<esi:vars>$(HTTP_HOST)$$(B|')')</esi:vars>$(C) ~ [$(HTTP_HOST)]<vars{}>$HTTP_HOST$[$]$B|')'$</vars>[$(C)] 0",
        "<esi:vars>$(A<b></esi:vars> ~ <vars{}>[$(A<b>]</vars> 0",
        "<esi:include src=\"/x\" <esi:include src=\"/y\"/> ~ [<esi:include src=\"/x\" ]<include{src=/y}/> 1",
        "<esi:include src=/x/> ~ [<esi:include src=/x/>] 1",
        "<esi:include src=\"/x\" src=\"/y\"/> ~ [<esi:include src=\"/x\" src=\"/y\"/>] 1",
        "<esi:include src=\"/x\"alt=\"/y\"/> ~ [<esi:include src=\"/x\"alt=\"/y\"/>] 1",
        "<esi:choose><esi:when test=\"$(A)>'1'\">b</esi:when></esi:choose> ~ <choose{}><when{test=$(A)>'1'}>[b]</when></choose> 0",
        "<esi:when test=\"a<b&amp;c\"/> ~ <when{test=a<b&amp;c}/> 0",
        "<esi:inline name=\"/a\">b</esi:inline> ~ [<esi:inline name=\"/a\">b</esi:inline>] 2",
        "<ESI:include src=\"/x\"/> ~ [<ESI:include src=\"/x\"/>] 0",
        "<esi:include src=\"/x ~ [<esi:include src=\"/x] 1",
        "<<esi:remove> ~ [<]<remove{}> 0",
        "a<es ~ [a<es] 0",
        "</esi:try x> ~ [</esi:try x>] 1",
      })
  void tagsAreFoundAndWhatIsNoTagIsText(String body, String events) {
    assertEquals(events, parsed(body));
    for (int cut = 0; cut <= body.length(); cut++) {
      assertEquals(events, parsed(body, cut), "cut at " + cut);
    }
    int[] all = new int[body.length()];
    for (int i = 0; i < all.length; i++) {
      all[i] = i;
    }
    assertEquals(events, parsed(body, all), "cut everywhere");
  }

  @Test
  void aTagThatIsTooLongIsText() {
    String longest = "<esi:include src=\"" + "x".repeat(EsiParser.MAX_TAG - 21) + "\"/>";
    assertEquals(EsiParser.MAX_TAG, longest.length());
    assertTrue(parsed(longest).startsWith("<include"));
    String longer = "<esi:include src=\"" + "x".repeat(EsiParser.MAX_TAG - 20) + "\"/>";
    assertEquals("[" + longer + "] 1", parsed(longer));
    String variable = "<esi:vars>$(" + "x".repeat(EsiParser.MAX_VARIABLE) + ")</esi:vars>";
    assertEquals(
        "<vars{}>[$(" + "x".repeat(EsiParser.MAX_VARIABLE) + ")]</vars> 0", parsed(variable));
  }

  @Test
  void aBodyIsParsedTheSameWhereverItsPiecesAreCut() {
    long seed = Long.getLong("forebay.seed", System.nanoTime());
    System.out.println("seed " + seed);
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 3000; round++) {
      StringBuilder text = new StringBuilder();
      int words = random.nextInt(1, 30);
      for (int i = 0; i < words; i++) {
        String word = WORDS[random.nextInt(WORDS.length)];
        // Often a word is cut short, so that what follows stands where it should not.
        text.append(
            random.nextInt(5) == 0 ? word.substring(0, random.nextInt(word.length() + 1)) : word);
      }
      String body = text.toString();
      String whole = parsed(body);
      int[] cuts = random.ints(random.nextInt(1, 8), 0, body.length() + 1).sorted().toArray();
      assertEquals(whole, parsed(body, cuts), () -> "seed " + seed + ": " + body);
      int[] all = new int[body.length()];
      for (int i = 0; i < all.length; i++) {
        all[i] = i;
      }
      assertEquals(whole, parsed(body, all), () -> "seed " + seed + ": " + body);
    }
  }
}
