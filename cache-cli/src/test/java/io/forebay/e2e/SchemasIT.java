package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.testing.Commands;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Files whose form others have laid down, by the schemas of those. */
@Tag("full")
final class SchemasIT {

  @Test
  void theManifestsAreThoseOfKubernetes() throws Exception {
    Path python = Tools.requireKubernetesSchemas();

    Commands.Finished checked =
        Commands.run(
            python.resolveSibling("kubernetes-validate").toString(),
            "--strict",
            "../ops/kubernetes/forebay.yaml");

    assertEquals(0, checked.exit(), checked.out() + checked.err());
  }

  @Test
  void theDocumentOfTheAdminApiIsOneOfOpenApi() throws Exception {
    Path python = Tools.requireOpenApiSchema();

    Commands.Finished checked =
        Commands.run(
            python.toString(),
            "-m",
            "openapi_spec_validator",
            "../cache-server/src/main/resources/io/forebay/server/admin/openapi.json");

    assertEquals(0, checked.exit(), checked.out() + checked.err());
  }
}
