//go:build !unix

package sqlite

// lock can't lock anything here.
func lock(string) (unlock func() error, warning string, err error) {
	return func() error { return nil }, "files can't be locked on this system: take care that one worker uses the store", nil
}
