// Package store keeps what the nodes of a pinboard share: workers' sessions, who has which
// id and at which epoch, bindings, orders that wait for a worker, and the ring of events
// (pinboard contract, section 1). Memory is the store of one node; package redis is that of
// many, and package storetest says what both must do.
//
// Sessions are few and each node reads all of them, by Changes. Rows of ids are many, lie in
// buckets, and are read one by one.
package store
