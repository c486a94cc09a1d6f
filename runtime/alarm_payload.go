package runtime

import (
	"encoding/json"
	"fmt"

	"github.com/pinned-go/pinned"
)

// AlarmPayload decodes the payload of an alarm for its method; it is the zero P where
// none was given. Generated code calls it.
func AlarmPayload[P any](a pinned.Alarm) (payload P, err error) {
	if a.Payload == nil {
		return payload, nil
	}
	if err := json.Unmarshal(a.Payload, &payload); err != nil {
		return payload, fmt.Errorf("the payload of alarm %q: %w", a.Name, err)
	}
	return payload, nil
}
