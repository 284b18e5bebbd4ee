package comm

import (
	"context"

	"gobench/device"
)

// Run opens a device of driver with default options, calls f with the communicator of all ranks of
// the job, and closes both. Collective operations use the hosts of the job unless o.Coll.Hosts is
// set. Every rank of the job calls Run.
func Run(ctx context.Context, driver device.Driver, job device.Job, o Options, f func(*Comm) error) (err error) {
	options, err := device.ParseOptions(driver.Options(), nil)
	if err != nil {
		return err
	}
	dev, err := driver.Open(ctx, job, options)
	if err != nil {
		return err
	}
	if o.Coll.Hosts == nil {
		o.Coll.Hosts = job.Hosts()
	}
	world, err := World(dev, o)
	if err != nil {
		dev.Close()
		return err
	}
	defer world.CloseAll(&err)
	return f(world)
}
