package certs

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Source says where the certificates of a listener come from. The zero value is a listener
// without TLS.
type Source struct {
	CertFile string // PEM: the certificate, followed by those of its authorities
	KeyFile  string // PEM: its key
	Local    bool   // issue certificates for localhost, from mcpproxy's own authority below Folder
	Folder   string // data folder

	ClientCA       string // PEM: the authorities of client certificates; "" means that the listener asks for none
	ClientOptional bool   // a client may connect without a certificate
}

// On reports whether the listener speaks TLS.
func (s Source) On() bool { return s.Local || s.CertFile != "" }

// AuthorityPath returns the path of the certificate of mcpproxy's own authority.
func (s Source) AuthorityPath() string { return filepath.Join(s.Folder, "tls", "ca.pem") }

// Server provides the listener's side of TLS. It is safe for concurrent use.
type Server struct {
	source  Source
	own     *watched[*tls.Certificate]
	leaf    localLeaf
	clients *watched[*x509.CertPool] // nil if the listener asks for no client certificate
}

// Server returns the certificates and client authorities for the listener. On first use it creates mcpproxy's own
// authority. An error names the file that cannot be used.
func (s Source) Server() (*Server, error) {
	out := &Server{source: s}
	if s.ClientCA != "" {
		out.clients = newWatched([]string{s.ClientCA}, func() (*x509.CertPool, error) { return readPool(s.ClientCA) })
		if _, err := out.clients.get(); err != nil {
			return nil, fmt.Errorf("tls.client_ca: %w", err)
		}
	}
	if s.Local {
		if err := s.makeAuthority(); err != nil {
			return nil, err
		}
		_, err := out.leaf.get(s)
		return out, err
	}
	out.own = newWatched([]string{s.CertFile, s.KeyFile}, func() (*tls.Certificate, error) {
		return readPair(s.CertFile, s.KeyFile)
	})
	_, err := out.own.get()
	return out, err
}

// Config returns the settings of a TLS listener. If the listener asks for client certificates, connections cannot
// resume earlier ones, so that the current authorities check each connection's certificate.
func (s *Server) Config() *tls.Config {
	out := &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return s.certificate()
		},
	}
	if s.clients == nil {
		return out
	}
	out.SessionTicketsDisabled = true
	// Without a pool, the listener would trust the authorities of the system.
	out.ClientAuth, out.ClientCAs = s.clientAuth(), x509.NewCertPool()
	settings := out.Clone()
	out.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
		pool, err := s.clients.get()
		if err != nil {
			return nil, err
		}
		now := settings.Clone()
		now.ClientCAs = pool
		return now, nil
	}
	return out
}

// clientAuth says whether a client must show a certificate.
func (s *Server) clientAuth() tls.ClientAuthType {
	if s.source.ClientOptional {
		return tls.VerifyClientCertIfGiven
	}
	return tls.RequireAndVerifyClientCert
}

func (s *Server) certificate() (*tls.Certificate, error) {
	if s.source.Local {
		return s.leaf.get(s.source)
	}
	return s.own.get()
}

// Names returns the host names in the current certificate. A name may begin with "*.".
func (s *Server) Names() []string {
	cert, err := s.certificate()
	if err != nil || cert.Leaf == nil {
		return nil
	}
	return cert.Leaf.DNSNames
}

// Client returns the settings of a client on this machine that trusts only this listener. It trusts mcpproxy's own
// authority for localhost, or exactly the certificate in the file.
func (s Source) Client() (*tls.Config, error) {
	if s.Local {
		pool, err := readPool(s.AuthorityPath())
		if err != nil {
			return nil, err
		}
		return &tls.Config{
			MinVersion: tls.VersionTLS12,
			RootCAs:    pool,
			ServerName: "localhost",
		}, nil
	}
	if _, err := readCertificates(s.CertFile); err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		// The certificate must be the one in the file. Its names and its authority are not checked, because they may
		// be meant for other machines. TLS proves that the listener has the key.
		InsecureSkipVerify: true,
		VerifyConnection: func(state tls.ConnectionState) error {
			all, err := readCertificates(s.CertFile)
			if err != nil {
				return err
			}
			if len(state.PeerCertificates) == 0 || !bytes.Equal(state.PeerCertificates[0].Raw, all[0].Raw) {
				return fmt.Errorf("what listens there does not show the certificate in %s", s.CertFile)
			}
			return nil
		},
	}, nil
}

// Certificate returns the listener's certificate from its file, or the certificate of mcpproxy's own authority.
func (s Source) Certificate() (*x509.Certificate, error) {
	path := s.CertFile
	if s.Local {
		path = s.AuthorityPath()
	}
	all, err := readCertificates(path)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// watched caches what was read from files, and reads them again when one of them changes.
type watched[T any] struct {
	files []string
	read  func() (T, error)

	mu    sync.Mutex
	stamp string // stamp of the files when they were read
	now   T
	ok    bool
}

func newWatched[T any](files []string, read func() (T, error)) *watched[T] {
	return &watched[T]{files: files, read: read}
}

// get returns the content of the files. If they cannot be used, it returns the last content that could.
func (w *watched[T]) get() (T, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	stamp := stampOf(w.files)
	if w.ok && stamp == w.stamp {
		return w.now, nil
	}
	next, err := w.read()
	if err == nil {
		w.now, w.stamp = next, stamp
		w.ok = true
		return next, nil
	}
	if !w.ok {
		return next, err
	}
	slog.Error("a file of tls was changed and cannot be used; what was read before stays in force", "error", err)
	w.stamp = stamp
	return w.now, nil
}

// stampOf returns a text that changes when one of the files changes.
func stampOf(files []string) string {
	stamp := ""
	for _, path := range files {
		info, err := os.Stat(path)
		if err != nil {
			stamp += "absent;"
			continue
		}
		stamp += fmt.Sprintf("%d %s;", info.Size(), info.ModTime().Format(time.RFC3339Nano))
	}
	return stamp
}
