// A receiver of Signet's webhooks in Go, with the standard library alone: apt-get install golang-go
// ORG=<organization ID> go run examples/receivers/go/*.go; other settings: SIGNET, TARGET_URL, CERTIFICATE, PRIVATE_KEY
package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
)

var org, signet = os.Getenv("ORG"), setting("SIGNET", "http://localhost:8080")
var target = setting("TARGET_URL", "https://receiver.test:9443/hook")

// In production a table, written in the transaction that handles the event.
var handled = map[string]bool{}
var handling sync.Mutex

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func handle(told webhook) {
	handling.Lock()
	defer handling.Unlock()
	if told.Trigger_type == "event" && handled[told.Sub] {
		fmt.Printf("Again: %s is handled already\n", told.Sub)
		return
	}
	fmt.Printf("Verified: %s %+v\n", told.Trigger_name, told)
	handled[told.Sub] = true
}

func statusOf(err error) int {
	if errors.Is(err, errUnavailable) {
		return 503 // Signet calls again.
	}
	return 401
}

func receive(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 2_097_152))
	if err != nil {
		response.WriteHeader(413)
		return
	}
	told, err := verify(string(body))
	if err != nil {
		fmt.Println("Refused:", err)
		response.WriteHeader(statusOf(err))
		return
	}
	handle(told)
	response.WriteHeader(204)
}

func main() {
	address, err := url.Parse(target)
	if err != nil || org == "" {
		log.Fatal("ORG and TARGET_URL: are required")
	}
	port := address.Port()
	if port == "" {
		port = "443"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("Listening:", target)
	certificate := setting("CERTIFICATE", "data/receiver/certificate.pem")
	privateKey := setting("PRIVATE_KEY", "data/receiver/private-key.pem")
	log.Fatal(http.ServeTLS(listener, http.HandlerFunc(receive), certificate, privateKey))
}
