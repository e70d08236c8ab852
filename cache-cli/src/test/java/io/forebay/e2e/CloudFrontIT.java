package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.PathOrigin;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** URLs and cookies for CloudFront that botocore signs. */
@Tag("full")
final class CloudFrontIT {
  @TempDir Path directory;

  @Test
  void whatBotocoreSignsIsJudgedAsItMeans() throws Exception {
    Path python = Tools.requireBotocore();
    Path script = Tools.resource("/cloudfront_signer.py", directory.resolve("signer.py"));
    String base = "http://www.example";
    JsonNode signed =
        JsonMapper.shared()
            .readTree(
                Commands.run(python.toString(), script.toString(), directory.toString(), base)
                    .orFail()
                    .out());
    try (PathOrigin origin = PathOrigin.start();
        EdgeProcess edge =
            EdgeProcess.in(directory.resolve("edge"))
                .memory("64MiB")
                .config(
                    """
                    origin: %s
                    protection:
                      p:
                        signed-urls: {type: cloudfront}
                        url-keys:
                          - {id: KRSA, public-key-file: %s/KRSA.pem}
                          - {id: KEC, public-key-file: %s/KEC.pem}
                    routes: [{protection: p}]
                    """
                        .formatted(origin.url(), directory, directory))
                .start()) {
      origin.cacheable("/video/1.ts", "video");
      int asked = 0;
      for (JsonNode one : signed) {
        String url = one.get("url").asString();
        String what = one.get("what").asString() + ": " + url;
        int expected = one.get("status").asInt();
        String target = url.substring(base.length());
        assertEquals(expected, edge.get(target, "Host: www.example").status(), what);
        String[] parts = target.split("\\?", 2);
        if (!parts[1].startsWith("size")) {
          String cookies = "Cookie: CloudFront-" + parts[1].replace("&", "; CloudFront-");
          assertEquals(
              expected,
              edge.get(parts[0], "Host: www.example", cookies).status(),
              "cookies " + what);
        }
        asked++;
      }
      assertEquals(32, asked);
      assertEquals(403, edge.get("/video/1.ts", "Host: www.example").status());
    }
  }
}
