package wire

import (
	"net/url"
	"strings"
)

// Challenge is a pair by which a worker proves that it is where it says.
type Challenge struct{ Challenge, Value string }

// Register is the body of POST /registry/register (wire contract, section 2). Its epochs are
// decimal.
type Register struct {
	ClientID       string                       `json:"clientId"`
	Secret         string                       `json:"secret"`
	Namespaces     []string                     `json:"namespaces"`
	AdvertiseURL   string                       `json:"advertiseUrl"`
	Headroom       float64                      `json:"headroom"`
	Draining       bool                         `json:"draining"`
	Challenge      string                       `json:"challenge"`
	ChallengeValue string                       `json:"challengeValue"`
	DrainDeadline  *float64                     `json:"drainDeadline,omitempty"`
	Hostname       string                       `json:"hostname,omitempty"`
	Env            string                       `json:"env,omitempty"`
	Envs           map[string]string            `json:"envs,omitempty"`
	Takeover       string                       `json:"takeover,omitempty"`
	Epoch          int64                        `json:"epoch,omitempty"`
	PrevSessionID  string                       `json:"prevSessionId,omitempty"`
	Instances      map[string][]string          `json:"instances,omitempty"`
	Epochs         map[string]map[string]string `json:"epochs,omitempty"`
	Labels         map[string]string            `json:"labels,omitempty"`
	Features       []string                     `json:"features,omitempty"`
}

// RegisterAck is its answer.
type RegisterAck struct {
	SessionID     string      `json:"sessionId"`
	ExpiresInMs   int64       `json:"expiresInMs"`
	Duplicates    []Duplicate `json:"duplicates,omitempty"`
	Draining      bool        `json:"draining"`
	DrainDeadline *float64    `json:"drainDeadline,omitempty"` // in seconds
}

// Duplicate is an instance that another worker has.
type Duplicate struct {
	Namespace string `json:"ns"`
	ID        string `json:"id"`
}

// Heartbeat is the body of POST /registry/heartbeat.
type Heartbeat struct {
	SessionID      string   `json:"sessionId"`
	Headroom       float64  `json:"headroom"`
	Draining       bool     `json:"draining"`
	Challenge      string   `json:"challenge,omitempty"`
	ChallengeValue string   `json:"challengeValue,omitempty"`
	Acks           []string `json:"acks,omitempty"`
	DrainDeadline  *float64 `json:"drainDeadline,omitempty"`
}

// HeartbeatAck is its answer.
type HeartbeatAck struct {
	ExpiresInMs   int64     `json:"expiresInMs"`
	Messages      []Message `json:"messages,omitempty"`
	Draining      *bool     `json:"draining,omitempty"`
	DrainDeadline *float64  `json:"drainDeadline,omitempty"` // in seconds
	Reregister    bool      `json:"reregister,omitempty"`
}

// Message is an order to a worker.
type Message struct {
	MsgID     string   `json:"msgId"`
	Type      string   `json:"type"`
	Namespace string   `json:"ns,omitempty"`
	ID        string   `json:"id,omitempty"`
	Deadline  *float64 `json:"deadline"` // in seconds; nil revokes
}

// Nack is an answer of the registry that isn't an ack.
type Nack struct {
	Reregister bool   `json:"reregister,omitempty"`
	Superseded bool   `json:"superseded,omitempty"`
	Error      string `json:"error,omitempty"`
}

// Release is one entry of POST /registry/release. Epochs are decimal. It has a session, or,
// of a worker of the first generation, a client.
type Release struct {
	SessionID string `json:"sessionId,omitempty"`
	ClientID  string `json:"clientId,omitempty"`
	Namespace string `json:"namespace"`
	ID        string `json:"id"`
	Epoch     *int64 `json:"epoch,omitempty,string"`
	// Fence is the stored epoch that refused the instance.
	Fence *int64 `json:"fence,omitempty,string"`
}

// Deregister is the body of POST /registry/deregister.
type Deregister struct {
	SessionID string `json:"sessionId"`
}

// DecodeRegister reads the body of a registration. Like the others it fails with a
// *FieldError, and ignores what it doesn't know. The namespaces are as they came, since the
// worker's generation, which the body doesn't tell, decides on what they may be; an address
// loses its trailing slashes.
func DecodeRegister(body []byte) (r Register, err error) {
	err = read(body, func(v *value) error {
		return v.fields(map[string]field{
			"clientId":       required(&r.ClientID, (*value).name),
			"secret":         required(&r.Secret, (*value).name),
			"namespaces":     required(&r.Namespaces, listOf((*value).name)),
			"advertiseUrl":   required(&r.AdvertiseURL, (*value).address),
			"headroom":       required(&r.Headroom, (*value).quantity),
			"draining":       required(&r.Draining, (*value).boolean),
			"challenge":      required(&r.Challenge, (*value).name),
			"challengeValue": required(&r.ChallengeValue, (*value).name),
			"drainDeadline":  optional(&r.DrainDeadline, pointerTo((*value).quantity)),
			"hostname":       optional(&r.Hostname, (*value).text),
			"env":            optional(&r.Env, (*value).text),
			"envs":           optional(&r.Envs, mapOf((*value).name)),
			"takeover":       optional(&r.Takeover, (*value).takeover),
			"epoch":          optional(&r.Epoch, (*value).count),
			"prevSessionId":  optional(&r.PrevSessionID, (*value).text),
			"instances":      optional(&r.Instances, mapOf(listOf((*value).id))),
			"epochs":         optional(&r.Epochs, mapOf(mapOf((*value).epochText))),
			"labels":         optional(&r.Labels, mapOf((*value).text)),
			"features":       optional(&r.Features, listOf((*value).text)),
		})
	})
	switch {
	case err != nil:
	case len(r.Namespaces) == 0:
		err = within("namespaces", wrong("is empty"))
	case r.Hostname != "":
	case r.Env != "":
		err = within("env", errNoHostname)
	case len(r.Envs) > 0:
		err = within("envs", errNoHostname)
	case r.Takeover != "":
		err = within("takeover", errNoHostname)
	}
	if err != nil {
		return Register{}, err
	}
	return r, nil
}

var errNoHostname = wrong("is there without a hostname")

// DecodeHeartbeat reads the body of a heartbeat.
func DecodeHeartbeat(body []byte) (hb Heartbeat, err error) {
	err = read(body, func(v *value) error {
		return v.fields(map[string]field{
			"sessionId":      required(&hb.SessionID, (*value).name),
			"headroom":       required(&hb.Headroom, (*value).quantity),
			"draining":       required(&hb.Draining, (*value).boolean),
			"challenge":      optional(&hb.Challenge, (*value).text),
			"challengeValue": optional(&hb.ChallengeValue, (*value).text),
			"acks":           optional(&hb.Acks, listOf((*value).name)),
			"drainDeadline":  optional(&hb.DrainDeadline, pointerTo((*value).quantity)),
		})
	})
	switch {
	case err != nil:
	case hb.Challenge != "" && hb.ChallengeValue == "":
		err = within("challengeValue", wrong("is missing beside a challenge"))
	case hb.Challenge == "" && hb.ChallengeValue != "":
		err = within("challenge", wrong("is missing beside its value"))
	}
	if err != nil {
		return Heartbeat{}, err
	}
	return hb, nil
}

// DecodeReleases reads the body of a release: an array, or the one entry itself.
func DecodeReleases(body []byte) (all []Release, err error) {
	err = read(body, func(v *value) (err error) {
		if v.first() == '[' {
			all, err = listOf((*value).release)(v)
			return err
		}
		one, err := v.release()
		all = []Release{one}
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

func (v *value) release() (r Release, err error) {
	err = v.fields(map[string]field{
		"sessionId": optional(&r.SessionID, (*value).name),
		"clientId":  optional(&r.ClientID, (*value).name),
		"namespace": required(&r.Namespace, (*value).name),
		"id":        required(&r.ID, (*value).id),
		"epoch":     optional(&r.Epoch, pointerTo((*value).epoch)),
		"fence":     optional(&r.Fence, pointerTo((*value).epoch)),
	})
	if err == nil && r.SessionID == "" && r.ClientID == "" {
		err = within("sessionId", wrong("is missing"))
	}
	return r, err
}

// DecodeDeregister reads the body of a deregistration.
func DecodeDeregister(body []byte) (d Deregister, err error) {
	err = read(body, func(v *value) error {
		return v.fields(map[string]field{"sessionId": required(&d.SessionID, (*value).name)})
	})
	if err != nil {
		return Deregister{}, err
	}
	return d, nil
}

// name is a string that isn't empty.
func (v *value) name() (string, error) {
	s, err := v.text()
	if err == nil && s == "" {
		err = wrong("is empty")
	}
	return s, err
}

func (v *value) id() (string, error) {
	s, err := v.text()
	if err == nil && ValidID(s) != nil {
		err = wrong("isn't an id: %v", ValidID(s))
	}
	return s, err
}

// count is an integer that is not negative.
func (v *value) count() (int64, error) {
	n, err := v.integer()
	if err == nil && n < 0 {
		err = wrong("is negative")
	}
	return n, err
}

func (v *value) epochText() (string, error) {
	s, err := v.text()
	if err == nil {
		if _, bad := ParseEpoch(s); bad != nil {
			err = wrong("isn't an epoch: %v", bad)
		}
	}
	return s, err
}

func (v *value) epoch() (int64, error) {
	s, err := v.epochText()
	if err != nil {
		return 0, err
	}
	return ParseEpoch(s)
}

func (v *value) takeover() (string, error) {
	s, err := v.text()
	if err == nil && s != "" && s != "wind_down" && s != "deny" {
		err = wrong("is neither wind_down nor deny")
	}
	return s, err
}

// address is where a worker says that it is. Which hosts are allowed is the pinboard's
// matter.
func (v *value) address() (string, error) {
	s, err := v.text()
	if err != nil {
		return "", err
	}
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return "", wrong("isn't a URL") // url.Error quotes it
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return "", wrong("isn't an absolute http or https URL")
	case u.User != nil, strings.ContainsAny(s, "?#"):
		return "", wrong("has a query, a fragment or user information")
	}
	return strings.TrimRight(s, "/"), nil
}
