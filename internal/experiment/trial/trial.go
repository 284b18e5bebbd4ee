// Package trial measures the choices of the profile of this machine. It runs in a process of its
// own, which starts a pair of ranks at each distance of cores.
package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"gobench/device"
	"gobench/device/profile"
	"gobench/experiment"
	"gobench/internal/launch/detect"
	"gobench/internal/launch/host"
	"gobench/launch"
	"gobench/launch/rendezvous"
)

// The time of all trials, 3 s with the starts of processes.
const (
	pairsTime  = 1200 * time.Millisecond
	kernelTime = 1300 * time.Millisecond
)

// Verb runs the verb that measures, in the process that starts the pairs and in each of their
// ranks. It prints lists of choices as JSON.
func Verb(ctx context.Context, stdout, stderr io.Writer) error {
	var known *profile.Profile
	if text := os.Getenv(experiment.SettledVariable); text != "" {
		if err := json.Unmarshal([]byte(text), &known); err != nil {
			return err
		}
	}
	profile.Use(known)
	if os.Getenv(timeVariable) != "" {
		rank, err := rendezvous.FromEnv()
		if err != nil {
			return err
		}
		return pair(ctx, rank, stdout)
	}
	detect.Leave() // a rank of any launcher may have started this process
	pairs, err := experiment.TrialPairs()
	if err != nil {
		return err
	}
	for _, cores := range pairs { // empty on a machine with one core
		result, err := launch.Local(ctx, launch.Spec{
			Ranks: 2, Cores: cores, Args: []string{experiment.TrialVerb}, Stdout: stdout, Stderr: stderr,
			Env: append(os.Environ(), fmt.Sprintf("%s=%v", timeVariable, pairsTime/time.Duration(len(pairs)))),
		})
		if err != nil {
			return err
		}
		if result.ExitCode != 0 {
			return result.Err()
		}
	}
	runtime.LockOSThread()
	if cores, err := host.ChooseCores(1, host.Near); err == nil {
		if err := host.Pin(cores[0]); err != nil {
			return err
		}
	}
	choices, err := kernels(ctx, time.Now().Add(kernelTime))
	if err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode(choices)
}

// timeVariable is the environment variable with the time of the trials of a pair.
const timeVariable = "GOBENCH_TRIAL_TIME"

// pair runs one rank of a pair. Rank 0 prints the choices.
func pair(ctx context.Context, rank *rendezvous.Rank, stdout io.Writer) error {
	defer rank.Close()
	if err := rank.Pin(); err != nil {
		return err
	}
	within, err := time.ParseDuration(os.Getenv(timeVariable))
	if err != nil {
		return err
	}
	var found []profile.Choice
	for _, d := range device.Drivers() {
		trier, ok := d.(device.Trier)
		if !ok {
			continue
		}
		choices, err := trier.Try(ctx, rank, within)
		if errors.As(err, new(*device.UnavailableError)) { // for both
			continue
		} else if err != nil {
			return err
		}
		found = append(found, choices...)
		// Both ranks use what was found.
		all, err := device.Exchange(ctx, rank, choices)
		if err != nil {
			return err
		}
		profile.Use(profile.InForce().With(all[0]))
		choices, err = collectives(ctx, rank, d, time.Now().Add(within/4))
		if err != nil {
			return err
		}
		found = append(found, choices...)
	}
	if rank.Rank() > 0 {
		return nil
	}
	return json.NewEncoder(stdout).Encode(found)
}
