package main

import (
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"regexp"
	"time"
	"unicode/utf8"
)

var compactForm = regexp.MustCompile(`^([\w-]+)\.([\w-]+)\.([\w-]*)$`)

func decode(part string) []byte {
	bytes, _ := base64.RawURLEncoding.DecodeString(part)
	return bytes
}

type webhook struct { // The other claims are ignored.
	Jti, Aud, Sub, Iss, Webhook_id, Target_url, Trigger_type, Trigger_name string
	Iat, Exp, Nbf                                                          int64
	Trigger_content                                                        map[string]any
}

func verify(body string) (told webhook, err error) {
	parts, header := compactForm.FindStringSubmatch(body), map[string]any{}
	if parts == nil || json.Unmarshal(decode(parts[1]), &header) != nil {
		return told, errors.New("body: must be a signed JWT in its compact form")
	}
	kid, isNamed := header["kid"].(string)
	if header["alg"] != "ES256" || header["crit"] != nil || !isNamed {
		return told, errors.New("header: must have alg ES256, a kid, and no crit")
	}
	key, err := keyOf(kid)
	if err != nil {
		return told, err
	}
	digest, signature, payload := sha256.Sum256([]byte(parts[1]+"."+parts[2])), decode(parts[3]), decode(parts[2])
	if len(signature) != 64 || !ecdsa.Verify(key, digest[:], number(signature[:32]), number(signature[32:])) {
		return told, errors.New("signature: is not that of the key")
	}
	if !utf8.Valid(payload) || json.Unmarshal(payload, &told) != nil {
		return told, errors.New("claims: must each be in its form")
	}
	return told, check(told, time.Now().Unix())
}

func check(told webhook, now int64) error {
	kind := map[bool]string{true: "sync_hook", false: "event"}[told.Trigger_name == "token_minted"]
	isWhole := told.Jti != "" && told.Sub != "" && told.Webhook_id != "" && told.Trigger_name != "" && told.Trigger_content != nil
	for _, rule := range []struct {
		message string
		holds   bool
	}{
		{"claims: must all be there", isWhole},
		{"exp: is past", told.Exp > now},
		{"exp: must be at most five minutes after iat", told.Exp-told.Iat <= 300 && told.Iat >= 0},
		{"iat: is more than five minutes ahead", told.Iat <= now+300 && told.Nbf <= now+300},
		{"aud: is not this organization", told.Aud == org},
		{"iss: is not the base URL of this Signet", told.Iss == signet},
		{"target_url: is not the address of this receiver", told.Target_url == target},
		{"trigger_type: must be that of the trigger_name", told.Trigger_type == kind},
	} {
		if !rule.holds {
			return errors.New(rule.message)
		}
	}
	return nil
}
