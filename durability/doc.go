// Package durability is what objects keep beyond their process: the interface of
// a store with its errors, and the store that keeps its rows in memory. The
// stores sqlite and postgres are packages of their own, and storetest is the
// contract suite that defines them all (durability contract, sections 1 and 2).
package durability
