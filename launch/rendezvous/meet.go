package rendezvous

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gobench/internal/launch/detect"
	"gobench/internal/launch/exchange"
	"gobench/internal/remedy"
)

// Flags holds the flags of a command line for ranks that were started by another launcher or by
// hand. Empty fields are read from the environment.
type Flags struct {
	Node     string // rank and number of ranks: 0/2
	At       string // HOST:PORT of rank 0, or file:DIRECTORY
	Insecure bool   // without a secret
}

// Check returns an error if the command line is wrong.
func (m Flags) Check() error {
	_, size, ok := detect.ParseNode(m.Node)
	switch {
	case m.Node == "":
		return nil
	case !ok:
		return remedy.Errorf("%v is %s", remedy.Set("node", m.Node), detect.NoNode)
	case size == 1: // it would start ranks, and their command lines have the flag, too
		return remedy.Errorf("%v is a job of one process: leave %v and %v out", remedy.Set("node", m.Node), remedy.Named("node"), remedy.Named("meet"))
	}
	return nil
}

// Set writes the fields to the environment, which detect.FindLauncher and Join read.
func (m Flags) Set() {
	for name, value := range map[string]string{detect.EnvNode: m.Node, detect.EnvMeet: m.At} {
		if value != "" {
			os.Setenv(name, value)
		}
	}
	if m.Insecure {
		os.Setenv(detect.EnvInsecure, "1")
	}
}

const (
	// meetTimeout limits the time that rank 0 and the others wait for each other. A pod may take
	// that long to get its name, and a batch system to start the last process.
	meetTimeout = 3 * time.Minute
	// guessTimeout replaces it where they look for each other in a directory that nobody has named:
	// the launcher has started all of them by then, and hosts may not share that directory.
	guessTimeout = 30 * time.Second
	// minSecret is the minimum length of a secret in bytes, because any host can connect to rank
	// 0 and guess it.
	minSecret = 16
)

// A MeetError reports why the ranks of a job could not connect, with a remedy.
type MeetError struct{ Problem string }

func (e *MeetError) Error() string { return "the ranks of this job cannot meet: " + e.Problem }

// A meetingPoint holds the addresses and the secret by which the ranks of a job meet: rank 0
// listens, and the others connect to it.
type meetingPoint struct {
	detect.Identity
	secret string
	// directory holds a file in which rank 0 writes its addresses and a random secret; "" = the
	// other ranks have both from the environment.
	directory string
	guessed   bool     // nobody has named the directory
	addresses []string // HOST:PORT of rank 0, candidates
	port      int      // that rank 0 listens on, 0 = any
	only      []string // hosts from which ranks may come; nil if from anywhere
	bridge    bool     // a bridge could connect the ranks, if this program had one
	// announce sends the other ranks where rank 0 listens, with a random secret, in place of
	// directory; nil if this rank announces nothing.
	announce func(notice) error
	resolver *net.Resolver // of the names in addresses and only; nil is the system's
	warnings io.Writer
}

// newMeetingPoint returns a given address, else the addresses in the launcher's variables if there
// is a secret, else a directory that all ranks share.
func newMeetingPoint(p detect.Identity, env detect.Lookup, warnings io.Writer) (meetingPoint, error) {
	w := meetingPoint{Identity: p, secret: p.Secret, warnings: warnings}
	if s, ok := env(detect.EnvSecret); ok {
		w.secret = s
		if len(s) < minSecret {
			return w, &detect.EnvError{Variable: detect.EnvSecret, Value: "", Problem: fmt.Sprintf("has less than %d characters, so that it could be guessed: openssl rand -hex 16 prints a better one", minSecret)}
		}
	}
	insecure := env.Get(detect.EnvInsecure) == "1"
	at, given := env(detect.EnvMeet)
	if directory, ok := strings.CutPrefix(at, "file:"); ok {
		w.directory = directory
		return w, nil
	}
	switch {
	case given:
		_, port, err := net.SplitHostPort(at)
		if err == nil {
			w.port, err = strconv.Atoi(port)
		}
		if err != nil || w.port < 1 || w.port > 65535 {
			return w, &detect.EnvError{Variable: detect.EnvMeet, Value: at, Problem: "is neither HOST:PORT of rank 0 nor file:DIRECTORY"}
		}
		w.addresses = []string{at}
	case len(p.Roots) > 0 && (w.secret != "" || insecure):
		h := fnv.New32a()
		io.WriteString(h, p.Job)
		w.port = basePort + int(h.Sum32()%1000)
		for _, host := range p.Roots {
			w.addresses = append(w.addresses, net.JoinHostPort(host, strconv.Itoa(w.port)))
		}
	default:
		cache, err := os.UserCacheDir()
		if err != nil {
			return w, &MeetError{fmt.Sprintf("there is no directory for the file by which they would (%v): give all of them %s=HOST:PORT of rank 0 and the same %s", err, detect.EnvMeet, detect.EnvSecret)}
		}
		w.directory, w.guessed = filepath.Join(cache, "gobench", "meet"), true
		return w, nil
	}
	if w.secret == "" && !insecure {
		return w, &MeetError{fmt.Sprintf("%s tells where, but anybody could join there without a secret: give all ranks the same %s (openssl rand -hex 16 prints one), or on a network of your own %v", detect.EnvMeet, detect.EnvSecret, remedy.Named("insecure-meet"))}
	}
	if w.secret == "" {
		w.only = p.Hosts
	}
	return w, nil
}

// basePort is the first of the 1000 ports from which all ranks compute the port of rank 0, from the
// name of the job, unless it is given.
const basePort = 7575

// meet makes this process a rank: rank 0 listens, the others connect to it.
func (w meetingPoint) meet(ctx context.Context) (exchange.Link, error) {
	timeout := w.timeout()
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("%v have passed", timeout))
	defer cancel()
	if w.Rank == 0 {
		return w.open(ctx)
	}
	return w.dialRoot(ctx)
}

// timeout returns the time that ranks wait for each other.
func (w meetingPoint) timeout() time.Duration {
	if w.guessed {
		return guessTimeout
	}
	return meetTimeout
}

// note prints a line for people.
func (w meetingPoint) warn(format string, a ...any) {
	fmt.Fprintf(w.warnings, "gobench: "+format+"\n", a...)
}

// newSecret returns a random secret.
func newSecret() string {
	b := make([]byte, 32)
	rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// ownAddresses returns the addresses of this host, or the loopback address if it has no other. The
// other ranks try all of them.
func ownAddresses(port int) []string {
	var far, near []string
	list, _ := net.InterfaceAddrs()
	for _, a := range list {
		ip, ok := a.(*net.IPNet)
		if !ok || ip.IP.IsLinkLocalUnicast() {
			continue
		}
		address := net.JoinHostPort(ip.IP.String(), strconv.Itoa(port))
		if ip.IP.IsLoopback() {
			near = append(near, address)
		} else {
			far = append(far, address)
		}
	}
	return slices.Concat(far, near)
}
