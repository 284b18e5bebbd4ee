package launch

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
)

// The variables that say how ranks of another launcher meet, where that offers no way.
const (
	envNode     = "GOBENCH_NODE"          // rank and number of ranks: 0/2
	envNodes    = "GOBENCH_NODES"         // number of pods of an Indexed Job
	envMeet     = "GOBENCH_MEET"          // HOST:PORT of rank 0, or file:FOLDER that all ranks share
	envSecret   = "GOBENCH_SECRET"        // the same in all ranks, and known to nobody else
	envInsecure = "GOBENCH_INSECURE_MEET" // 1: without a secret
)

// A Meeting is what a command line says about how ranks meet that another launcher has started, or a
// person on several hosts. What is empty is as the environment says.
type Meeting struct {
	Node     string // rank and number of ranks: 0/2
	At       string // HOST:PORT of rank 0, or file:FOLDER
	Insecure bool   // without a secret
}

// Set puts it into the environment, where Detect and Join look.
func (m Meeting) Set() {
	for name, value := range map[string]string{envNode: m.Node, envMeet: m.At} {
		if value != "" {
			os.Setenv(name, value)
		}
	}
	if m.Insecure {
		os.Setenv(envInsecure, "1")
	}
}

const (
	// meetPatience limits the time that rank 0 and the others wait for each other. A pod may take that long
	// to get its name, and a batch system to start the last process.
	meetPatience = 3 * time.Minute
	// meetSilence is the time after which they print for whom they wait.
	meetSilence = 10 * time.Second
	// leastSecret is the least length of a secret, in bytes: whoever connects to rank 0 can try guesses.
	leastSecret = 16
)

// A MeetError says why the ranks of a job could not meet, and what would help.
type MeetError struct{ Problem string }

func (e *MeetError) Error() string { return "the ranks of this job cannot meet: " + e.Problem }

// A way holds the addresses and the secret by which the ranks of a job meet: rank 0 listens, and the
// others connect to it.
type way struct {
	place
	secret string
	// folder holds a file in which rank 0 writes addresses and a secret of its own making; "" = the
	// others know them.
	folder    string
	addresses []string // HOST:PORT of rank 0, candidates
	port      int      // that rank 0 listens on, 0 = any
	only      []string // hosts from which ranks may come; nil: from anywhere
	notes     io.Writer
}

// newWay chooses: a given address, then those that the launcher's variables tell if there is a
// secret, else a folder that all ranks share.
func newWay(p place, env lookup, notes io.Writer) (way, error) {
	w := way{place: p, secret: p.secret, notes: notes}
	if s, ok := env(envSecret); ok {
		w.secret = s
		if len(s) < leastSecret {
			return w, &EnvError{envSecret, "", fmt.Sprintf("has less than %d characters, so that it could be guessed: openssl rand -hex 16 prints a better one", leastSecret)}
		}
	}
	insecure := env.get(envInsecure) == "1"
	at, given := env(envMeet)
	if folder, ok := strings.CutPrefix(at, "file:"); ok {
		w.folder = folder
		return w, nil
	}
	switch {
	case given:
		_, port, err := net.SplitHostPort(at)
		if err == nil {
			w.port, err = strconv.Atoi(port)
		}
		if err != nil || w.port < 1 || w.port > 65535 {
			return w, &EnvError{envMeet, at, "is neither HOST:PORT of rank 0 nor file:FOLDER"}
		}
		w.addresses = []string{at}
	case len(p.roots) > 0 && (w.secret != "" || insecure):
		h := fnv.New32a()
		io.WriteString(h, p.job)
		w.port = basePort + int(h.Sum32()%1000)
		for _, host := range p.roots {
			w.addresses = append(w.addresses, net.JoinHostPort(host, strconv.Itoa(w.port)))
		}
	default:
		cache, err := os.UserCacheDir()
		if err != nil {
			return w, &MeetError{fmt.Sprintf("there is no folder for the file by which they would (%v): give all of them %s=HOST:PORT of rank 0 and the same %s", err, envMeet, envSecret)}
		}
		w.folder = filepath.Join(cache, "gobench", "meet")
		return w, nil
	}
	if w.secret == "" && !insecure {
		return w, &MeetError{fmt.Sprintf("%s tells where, but anybody could join there without a secret: give all ranks the same %s (openssl rand -hex 16 prints one), or on a network of your own --insecure-meet", envMeet, envSecret)}
	}
	if w.secret == "" {
		w.only = p.roots
	}
	return w, nil
}

// basePort is the first of the 1000 ports on which rank 0 listens where nothing else is said: all
// ranks reckon the same one from the job's name.
const basePort = 7575

// meet makes this process a rank: rank 0 opens the meeting, the others come to it.
func (w way) meet(ctx context.Context) (link, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, meetPatience, fmt.Errorf("%v have passed", meetPatience))
	defer cancel()
	if w.rank == 0 {
		return w.open(ctx)
	}
	return w.come(ctx)
}

// note prints a line for people.
func (w way) note(format string, a ...any) {
	fmt.Fprintf(w.notes, "gobench: "+format+"\n", a...)
}

// newSecret makes one that nobody can guess.
func newSecret() string {
	b := make([]byte, 32)
	rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// ownAddresses are those under which other hosts may reach this one, and that of the loopback for
// ranks of this host where there is no other. Which of them are right the others find out.
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
