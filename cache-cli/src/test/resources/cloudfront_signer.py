"""Signs with botocore's CloudFrontSigner: writes the public keys and prints what is signed, as JSON.

Arguments: a directory for the keys, and the base URL of the edge.
"""

import datetime
import json
import pathlib
import sys

from botocore.signers import CloudFrontSigner
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

directory = pathlib.Path(sys.argv[1])
base = sys.argv[2]

KEYS = {
    "KRSA": rsa.generate_private_key(public_exponent=65537, key_size=2048),
    "KEC": ec.generate_private_key(ec.SECP256R1()),
}


def signer(key_id, digest):
    key = KEYS[key_id]

    def sign(message):
        if key_id == "KEC":
            return key.sign(message, ec.ECDSA(digest))
        return key.sign(message, padding.PKCS1v15(), digest)

    return CloudFrontSigner(key_id, sign)


def now(seconds):
    return datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)


for name, key in KEYS.items():
    (directory / (name + ".pem")).write_bytes(
        key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
    )

signed = []
for key_id in KEYS:
    for hash_name, digest in (("SHA1", hashes.SHA1()), ("SHA256", hashes.SHA256())):
        make = signer(key_id, digest)
        suffix = "&Hash-Algorithm=SHA256" if hash_name == "SHA256" else ""

        def add(kind, status, url, target=None, **how):
            url = make.generate_presigned_url(url, **how)
            if target is not None:
                # The signature of a policy with wildcards, for one of its URLs.
                url = target + "?" + url.split("?", 1)[1]
            signed.append(
                {"what": f"{key_id} {hash_name} {kind}", "status": status, "url": url + suffix}
            )

        page = base + "/video/1.ts"
        add("canned", 200, page, date_less_than=now(600))
        add("canned with a query", 200, page + "?size=large", date_less_than=now(600))
        add("canned, expired", 410, page, date_less_than=now(-600))
        everything = make.build_policy(base + "/video/*", now(600))
        add("custom", 200, page, policy=everything)
        add("custom for others", 403, page, base + "/other/1.ts", policy=everything)
        add(
            "custom for here",
            200,
            page,
            policy=make.build_policy(page, now(600), now(-600), "127.0.0.1"),
        )
        add(
            "custom for elsewhere",
            403,
            page,
            policy=make.build_policy(page, now(600), now(-600), "192.0.2.0/24"),
        )
        add("custom, later", 403, page, policy=make.build_policy(page, now(900), now(600)))

print(json.dumps(signed))
