package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"aead.dev/minisign"
)

// sumsFile is the name of the file with the SHA-256 sums of all others.
const sumsFile = "SHA256SUMS"

// writeSums writes the sums of all files of a directory, as sha256sum --check reads them, and with a
// key their signature, as minisign reads it.
func writeSums(dir, key string) error {
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(content), e.Name())
	}
	if err := os.WriteFile(filepath.Join(dir, sumsFile), []byte(b.String()), 0o644); err != nil {
		return err
	}
	if key == "" {
		fmt.Fprintln(os.Stderr, "release: no signature: name the secret key of minisign with --key")
		return nil
	}
	secret, err := readKey(key)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, sumsFile+".minisig"), minisign.Sign(secret, []byte(b.String())), 0o644)
}

// readKey reads the file of a secret key, whose password, if it has one, is in the environment.
func readKey(file string) (minisign.PrivateKey, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return minisign.PrivateKey{}, err
	}
	if minisign.IsEncrypted(text) {
		key, err := minisign.DecryptKey(os.Getenv("MINISIGN_PASSWORD"), text)
		if err != nil {
			return key, fmt.Errorf("%s: %w: MINISIGN_PASSWORD has its password", file, err)
		}
		return key, nil
	}
	var key minisign.PrivateKey
	if err := key.UnmarshalText(text); err != nil {
		return key, fmt.Errorf("%s: %w", file, err)
	}
	return key, nil
}
