package wire

// Challenge is a pair by which a worker proves that it is where it says.
type Challenge struct{ Challenge, Value string }

// Register is the body of POST /registry/register (wire contract, section 2).
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

// Release is one entry of POST /registry/release. Epochs are decimal.
type Release struct {
	SessionID string `json:"sessionId,omitempty"`
	ClientID  string `json:"clientId,omitempty"` // of the first generation
	Namespace string `json:"namespace"`
	ID        string `json:"id"`
	Epoch     *int64 `json:"epoch,omitempty,string"`
	Fence     *int64 `json:"fence,omitempty,string"`
}

// Deregister is the body of POST /registry/deregister.
type Deregister struct {
	SessionID string `json:"sessionId"`
}
