package io.forebay.server.origin.group;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.core.http.TargetNormalizer;
import io.forebay.core.http.TargetNormalizer.Accepted;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class BasePathTest {

  @ParameterizedTest
  @CsvSource({
    "/app,    /,        /app/",
    "/app/,   /,        /app/",
    "/app/,   /x?q=/..,  /app/x?q=/..",
    "/app,    /app,     /app/app",
    "/app,    //x,      /app//x",
    "/a/b%2F, /%2Fx,    /a/b%2F/%2Fx",
    "/app,    *,        *",
    "/,       /x,       /x",
    "'',      /x,       /x",
  })
  void standsBeforeThePath(String base, String target, String joined) {
    assertEquals(joined, BasePath.of(base).join(target));
  }

  @ParameterizedTest
  @CsvSource({
    "/..%2fadmin, true",
    "/a/..%5Cadmin, true",
    "/a/..\\admin, true",
    "/a%2f../b, true",
    "/a%2F..%2f..%2Fb, true",
    "/%2e%2e%2fb, true",
    "/a%2F.., true",
    "/..;/manager, true",
    "/..;a=b/manager, true",
    "/a/../b, false",
    "/..x/..y%2F, false",
    "/a../b..%2Fc, false",
    "/.../x, false",
    "/a%2Fb, false",
    "/x?y=/..%2F, false",
    "/, false",
    "/%252e%252e%252f, false",
  })
  void knowsPathsThatAServerCouldTakeOutOfIt(String target, boolean mayClimb) {
    Accepted normal = (Accepted) TargetNormalizer.normalize(target, "GET");
    String query = normal.query() == null ? "" : "?" + normal.query();
    assertEquals(mayClimb, BasePath.mayClimb(normal.path() + query));
  }
}
