package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"

	oidc "github.com/coreos/go-oidc"
	"golang.org/x/oauth2"
)

var (
	ctx                    = context.Background()
	provider, config       = discover()
	verifier, state, nonce string
	token                  *oauth2.Token
	idToken                *oidc.IDToken
)

func main() {
	serve("/sign-in", signIn)
	serve("/callback", callback)
	serve("/", signedIn)
	serve("/refresh", refresh)
	serve("/user-info", userInfo)
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("Listening: " + os.Getenv("APPLICATION_URL"))
	log.Fatal(http.Serve(listener, nil))
}

func discover() (*oidc.Provider, oauth2.Config) {
	provider, err := oidc.NewProvider(ctx, os.Getenv("ISSUER"))
	if err != nil {
		log.Fatal(err)
	}
	return provider, oauth2.Config{
		ClientID:     os.Getenv("CLIENT_ID"),
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		Endpoint:     provider.Endpoint(),
		RedirectURL:  os.Getenv("APPLICATION_URL") + "/callback",
		Scopes:       []string{oidc.ScopeOpenID, "profile", "email", oidc.ScopeOfflineAccess},
	}
}

func signIn(w http.ResponseWriter, r *http.Request) error {
	verifier, state, nonce = random(), random(), random()
	digest := sha256.Sum256([]byte(verifier))
	challenge := oauth2.SetAuthURLParam("code_challenge", base64.RawURLEncoding.EncodeToString(digest[:]))
	method := oauth2.SetAuthURLParam("code_challenge_method", "S256")
	http.Redirect(w, r, config.AuthCodeURL(state, oidc.Nonce(nonce), challenge, method), http.StatusFound)
	return nil
}

func callback(w http.ResponseWriter, r *http.Request) (err error) {
	query := r.URL.Query()
	if query.Get("state") != state {
		return errors.New("state: is another one")
	}
	if token, err = config.Exchange(ctx, query.Get("code"), oauth2.SetAuthURLParam("code_verifier", verifier)); err != nil {
		return err
	}
	idTokens := provider.Verifier(&oidc.Config{ClientID: config.ClientID})
	if idToken, err = idTokens.Verify(ctx, token.Extra("id_token").(string)); err != nil {
		return err
	}
	if idToken.Nonce != nonce {
		return errors.New("nonce: is another one")
	}
	http.Redirect(w, r, "/", http.StatusFound)
	return idToken.VerifyAccessToken(token.AccessToken)
}

func signedIn(w http.ResponseWriter, _ *http.Request) error {
	if token == nil {
		return tell(w, struct{}{})
	}
	return tell(w, map[string]interface{}{
		"sub":           idToken.Subject,
		"access_token":  token.AccessToken,
		"refresh_token": token.RefreshToken,
		"id_token":      token.Extra("id_token"),
	})
}

func refresh(w http.ResponseWriter, _ *http.Request) (err error) {
	if token, err = config.TokenSource(ctx, &oauth2.Token{RefreshToken: token.RefreshToken}).Token(); err != nil {
		return err
	}
	return tell(w, struct{}{})
}

func userInfo(w http.ResponseWriter, _ *http.Request) error {
	info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return err
	}
	var claims map[string]interface{}
	if err = info.Claims(&claims); err != nil {
		return err
	}
	return tell(w, claims)
}

func serve(path string, handle func(http.ResponseWriter, *http.Request) error) {
	http.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		if err := handle(w, r); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
}

func tell(w http.ResponseWriter, what interface{}) error {
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(what)
}

func random() string {
	bytes := make([]byte, 32)
	if _, err := rand.Read(bytes); err != nil {
		log.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(bytes)
}
