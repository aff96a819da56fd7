#!/bin/sh
# A receiver that has nothing but a shell and OpenSSL: verifies the body of a webhook request, given on standard input,
# with the organization's verification key set, given as a file. Prints the claims, or fails.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

decode() {
  text=$(printf %s "$1" | tr -- '-_' '+/')
  while [ $((${#text} % 4)) -ne 0 ]; do text="$text="; done
  printf %s "$text" | openssl base64 -d -A
}
hex() { decode "$1" | od -An -v -tx1 | tr -d ' \n'; }
member() { printf %s "$2" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }

IFS=. read -r header payload signature <<BODY
$(cat)
BODY
head=$(decode "$header")
[ "$(member alg "$head")" = ES256 ]
key=$(tr '{' '\n' <"$1" | grep -F "\"kid\":\"$(member kid "$head")\"")

# RFC 5480, 2: the point, uncompressed, with its curve.
cat >"$work/key.conf" <<KEY
asn1 = SEQUENCE:key
[key]
algorithm = SEQUENCE:algorithm
point = FORMAT:HEX,BITSTRING:04$(hex "$(member x "$key")")$(hex "$(member y "$key")")
[algorithm]
kind = OID:id-ecPublicKey
curve = OID:prime256v1
KEY
openssl asn1parse -genconf "$work/key.conf" -noout -out "$work/key.der"
openssl pkey -pubin -inform DER -in "$work/key.der" -out "$work/key.pem"

# RFC 7518, 3.4, has r and s side by side; OpenSSL takes them as two integers.
both=$(hex "$signature")
[ ${#both} -eq 128 ]
cat >"$work/signature.conf" <<SIGNATURE
asn1 = SEQUENCE:signature
[signature]
r = INTEGER:0x$(printf %s "$both" | cut -c 1-64)
s = INTEGER:0x$(printf %s "$both" | cut -c 65-128)
SIGNATURE
openssl asn1parse -genconf "$work/signature.conf" -noout -out "$work/signature.der"

printf %s "$header.$payload" >"$work/signed"
openssl dgst -sha256 -verify "$work/key.pem" -signature "$work/signature.der" "$work/signed" >&2
decode "$payload"
