package main

import (
	"context"
	"encoding/json"
	"fmt"
)

// echoContests send a small JSON message over each WebSocket and wait for its
// answer, all on one id.
func echoContests() []contest {
	peers := []kind{bare}
	for _, version := range pythons {
		peers = append(peers, python(version))
	}
	var all []contest
	for _, peer := range peers {
		name := peer.name
		if peer.name == bare.name {
			name = "gorilla/websocket"
		}
		all = append(all, contest{
			name: "websocket-echo/32-conns", against: name, unit: "round trips/s",
			open: func(ctx context.Context, s *stage) (measure, measure, error) {
				mine, err := s.echo(ctx, ours(roomForAll))
				if err != nil {
					return nil, nil, err
				}
				other, err := s.echo(ctx, peer)
				return mine, other, err
			},
		})
	}
	return all
}

func (s *stage) echo(ctx context.Context, k kind) (measure, error) {
	server, err := s.start(ctx, k)
	if err != nil {
		return nil, err
	}
	const said = "hello"
	work := sockets{
		address: server.address,
		path:    "/halls/" + id(0) + "/live",
		conns:   32,
		say:     map[string]string{"say": said},
		heard: func(answer []byte) error {
			var heard struct {
				Heard string `json:"heard"`
			}
			if err := json.Unmarshal(answer, &heard); err != nil || heard.Heard != said {
				return fmt.Errorf("the answer to %q is %q", said, answer)
			}
			return nil
		},
	}
	return func(ctx context.Context) (float64, error) {
		total, err := work.run(ctx, s.pace.window)
		return total.rate(), err
	}, nil
}
