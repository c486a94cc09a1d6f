package postgres

// Dialer is dialer.
var Dialer = dialer
