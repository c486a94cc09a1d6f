package load

// PackagesLoads is how often go/packages was asked since the program began.
func PackagesLoads() int { return packagesLoads }

// TooOld is what Load says to a program that was built by another Go.
func TooOld(dir, built string) error {
	w, err := findWorkspace(dir, nil)
	if err != nil {
		return err
	}
	return w.tooOld(built)
}
