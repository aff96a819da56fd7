package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"sync"
	"time"
)

var errUnavailable = errors.New("key set: could not be fetched")

// The keys of the organization by their kid. Its times are measured by elapsed time, as Go's always are.
var keySet struct {
	sync.Mutex
	keys               map[string]*ecdsa.PublicKey
	fetched, nextFetch time.Time
	pause              time.Duration
	failed             bool
}

// Fetches the set when it is five minutes old and at once for an unknown kid. After a fetch that did not help there is a pause, for anybody
// can send made-up ones. While fetches fail, the keys that are there go on for an hour.
func keyOf(kid string) (*ecdsa.PublicKey, error) {
	keySet.Lock() // Requests that wait here share one fetch.
	defer keySet.Unlock()
	isFresh := keySet.keys[kid] != nil && time.Since(keySet.fetched) < 5*time.Minute
	if !isFresh && !time.Now().Before(keySet.nextFetch) {
		refresh(kid)
	}
	if key := keySet.keys[kid]; key != nil && time.Since(keySet.fetched) < time.Hour {
		return key, nil
	}
	if keySet.failed {
		return nil, errUnavailable
	}
	return nil, errors.New("kid: is not in the key set of the organization")
}

func refresh(kid string) {
	now, longest := time.Now(), time.Minute
	keys, err := fetchKeys()
	if keySet.failed = err != nil; keySet.failed {
		fmt.Println("Key set:", err)
		longest = 5 * time.Second
	} else {
		keySet.keys, keySet.fetched = keys, now
	}
	if !keySet.failed && keys[kid] != nil {
		keySet.pause = 0
	} else if keySet.pause *= 2; keySet.pause < time.Second {
		keySet.pause = time.Second
	} else if keySet.pause > longest {
		keySet.pause = longest
	}
	keySet.nextFetch = now.Add(keySet.pause)
}

var client = http.Client{
	Timeout: 10 * time.Second,
	// The keys of another place are not those of the issuer.
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

func fetchKeys() (map[string]*ecdsa.PublicKey, error) {
	request, err := http.NewRequest("GET", signet+"/organizations/webhooks/verification-jwks", nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Service-OrgID", org)
	answer, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	var set struct {
		Keys []struct{ Kid, Kty, Crv, X, Y string }
	}
	err = json.NewDecoder(io.LimitReader(answer.Body, 65_536)).Decode(&set)
	if err != nil || answer.StatusCode != 200 || set.Keys == nil {
		return nil, fmt.Errorf("was answered with %s and no key set", answer.Status)
	}
	keys := map[string]*ecdsa.PublicKey{}
	for _, key := range set.Keys {
		if key.Kty == "EC" && key.Crv == "P-256" {
			keys[key.Kid] = &ecdsa.PublicKey{Curve: elliptic.P256(), X: number(decode(key.X)), Y: number(decode(key.Y))}
		}
	}
	if len(keys) == 0 {
		return nil, errors.New("was answered with no keys")
	}
	return keys, nil
}

func number(bytes []byte) *big.Int { return new(big.Int).SetBytes(bytes) }
