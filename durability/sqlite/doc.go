// Package sqlite keeps durable rows in one file, for a worker on one machine
// (durability contract, section 2). What a store has acknowledged survives the death
// of the process and of the machine: the file is written ahead (WAL), and synced at
// each commit.
package sqlite
