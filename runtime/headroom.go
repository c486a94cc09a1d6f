package runtime

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// headroom is how much memory is left for instances, in MiB.
func (m *member) headroom() float64 {
	if m.Headroom != nil {
		return max(0, m.Headroom())
	}
	return freeMemory(os.ReadFile)
}

// freeMemory is what the control group leaves of its limit, or the machine has available,
// in MiB, whichever is less. Where neither says, it is 1 GiB, so that workers that can't tell are
// taken as equals.
func freeMemory(read func(name string) ([]byte, error)) float64 {
	const unknown, mib = 1 << 30, 1 << 20
	free := int64(-1)
	number := func(name string) (int64, bool) {
		text, err := read(name)
		if err != nil {
			return 0, false
		}
		n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		return n, err == nil
	}
	for _, group := range [][2]string{
		{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
		{"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"},
	} {
		limit, ok := number(group[0])
		used, too := number(group[1])
		if ok && too {
			free = max(0, limit-used)
			break
		}
	}
	if meminfo, err := read("/proc/meminfo"); err == nil {
		for line := range bytes.Lines(meminfo) {
			f := strings.Fields(string(line))
			if len(f) == 3 && f[0] == "MemAvailable:" {
				if kib, err := strconv.ParseInt(f[1], 10, 64); err == nil && (free < 0 || kib<<10 < free) {
					free = kib << 10
				}
			}
		}
	}
	if free < 0 {
		free = unknown
	}
	return float64(free) / mib
}
