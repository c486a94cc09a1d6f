// Package postgres keeps durable rows in PostgreSQL, for a fleet of workers or one
// (durability contract, section 2). Its tables are shared with the Python packages of
// the same system: a database that either has set up works for both.
package postgres
