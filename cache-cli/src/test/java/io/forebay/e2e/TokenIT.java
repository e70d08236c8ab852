package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.RawClient;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tokens that PyJWT signed, and the key set that it wrote, at the packaged jar. */
@Tag("full")
final class TokenIT {
  private static final String SIGN =
      """
      import json, pathlib, sys, time
      import jwt
      from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
      from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

      directory = pathlib.Path(sys.argv[1])
      keys = {
          "RS256": (RSAAlgorithm, rsa.generate_private_key(65537, 2048)),
          "RS512": (RSAAlgorithm, rsa.generate_private_key(65537, 3072)),
          "PS256": (RSAAlgorithm, rsa.generate_private_key(65537, 2048)),
          "PS384": (RSAAlgorithm, rsa.generate_private_key(65537, 2048)),
          "ES256": (ECAlgorithm, ec.generate_private_key(ec.SECP256R1())),
          "ES384": (ECAlgorithm, ec.generate_private_key(ec.SECP384R1())),
          "ES512": (ECAlgorithm, ec.generate_private_key(ec.SECP521R1())),
          "EdDSA": (OKPAlgorithm, ed25519.Ed25519PrivateKey.generate()),
      }
      jwks = []
      for name, (kind, key) in keys.items():
          jwk = kind.to_jwk(key.public_key())
          jwks.append({**(json.loads(jwk) if isinstance(jwk, str) else jwk), "kid": name})
      (directory / "jwks.json").write_text(json.dumps({"keys": jwks}))
      secret = "0123456789abcdef" * 4
      (directory / "secret").write_text(secret + "\\n")
      keys.update({name: (None, secret) for name in ("HS256", "HS384", "HS512")})
      claims = {"iss": "i", "aud": ["a"], "iat": int(time.time()), "exp": int(time.time()) + 3600}
      for name, (kind, key) in keys.items():
          print(name, jwt.encode(claims, key, algorithm=name, headers={"kid": name}))
          print("-" + name, jwt.encode({**claims, "exp": 1}, key, algorithm=name, headers={"kid": name}))
      """;

  @TempDir private Path directory;

  @Test
  void tokensOfPyJwtAreVerified() throws Exception {
    Path python = Tools.requirePyJwt();
    List<String> lines =
        Commands.run(python.toString(), "-c", SIGN, directory.toString())
            .orFail()
            .out()
            .lines()
            .toList();
    try (PathOrigin origin = PathOrigin.start();
        EdgeProcess edge =
            EdgeProcess.in(directory.resolve("edge"))
                .config(
                    """
                    origins: {main: {url: "ORIGIN"}}
                    protection:
                      keys:
                        jwt:
                          algorithms: [RS256, RS512, PS256, PS384, ES256, ES384, ES512, EdDSA]
                          keys-file: DIR/jwks.json
                          issuer: i
                          audiences: a
                      secret:
                        jwt:
                          algorithms: [HS256, HS384, HS512]
                          secret-file: DIR/secret
                    routes:
                      - {match: {path: /}, protection: keys}
                      - {match: {path: /secret/}, protection: secret}
                    """
                        .replace("ORIGIN", origin.url())
                        .replace("DIR", directory.toString()))
                .start();
        RawClient client = new RawClient(edge.port())) {
      int count = 0;
      for (String line : lines) {
        String[] words = line.split(" ", -1);
        boolean isSecret = words[0].contains("HS");
        int expected = words[0].startsWith("-") ? 401 : 404;
        String bearer = "Authorization: Bearer " + words[1];
        assertEquals(
            expected, client.get(isSecret ? "/secret/a" : "/a", bearer).status(), words[0]);
        assertEquals(401, client.get(isSecret ? "/a" : "/secret/a", bearer).status(), words[0]);
        count++;
      }
      assertEquals(22, count);
    }
  }
}
