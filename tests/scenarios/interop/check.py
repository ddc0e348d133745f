"""What other people's libraries say of our envelopes, and an envelope of theirs for us."""
import json
import sys

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from google.protobuf import json_format
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement
from securesystemslib.dsse import Envelope
from securesystemslib.signer import CryptoSigner, SSlibKey


def key(entry):
    public = serialization.load_pem_public_key(entry["public_key_pem"].encode())
    return SSlibKey.from_crypto(public, keyid=entry["key_id"])


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def verify(entry, *bundles):
    for bundle in bundles:
        envelope = Envelope.from_dict(load(bundle))
        envelope.verify([key(load(entry))], 1)
        message = json_format.Parse(envelope.payload, statement_pb2.Statement())
        statement = Statement.copy_from_pb(message)
        statement.validate()
        print(statement.pb.predicate_type)


def sign(bundle, pem, out):
    """Signs the payload of a bundle with a key of theirs and with ours, which they read from our file."""
    payload = Envelope.from_dict(load(bundle)).payload
    with open(pem, "rb") as file:
        ours = serialization.load_pem_private_key(file.read(), None)
    theirs = ed25519.Ed25519PrivateKey.generate()
    envelope = Envelope(payload, "application/vnd.in-toto+json", {})
    for name, private in (("theirs:1", theirs), ("ours:1", ours)):
        public = SSlibKey.from_crypto(private.public_key(), keyid=name)
        envelope.sign(CryptoSigner(private, public))
    with open(out, "w", encoding="utf-8") as file:
        json.dump(envelope.to_dict(), file)
    form = (serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    for private in (theirs, ours):
        print(json.dumps(private.public_key().public_bytes(*form).decode()))


def vector(pae):
    """The vector of the DSSE specification, over bytes that we encoded."""
    import base64

    x = 46950820868899156662930047687818585632848591499744589407958293238635476079160
    y = 5640078356564379163099075877009565129882514886557779369047442380624545832820
    raw = base64.b64decode(
        "A3JqsQGtVsJ2O2xqrI5IcnXip5GToJ3F+FnZ+O88SjtR6rDAajabZKciJTfUiHqJPcIAriEGAHTVeCUjW2JIZA=="
    )
    signature = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    public = ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()
    public.verify(signature, bytes.fromhex(pae), ec.ECDSA(hashes.SHA256()))


{"verify": verify, "sign": sign, "vector": vector}[sys.argv[1]](*sys.argv[2:])
