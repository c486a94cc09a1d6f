// Package placement is what a registry decides about its rows: who has an id and at which
// epoch, what becomes of the ids that a worker brings along when it registers, and to which
// environment a hostname belongs (pinboard contract, section 1; wire contract, sections 2 and
// 7). Its steps are pure. The memory store runs them as they stand; those of Redis say the
// same in Lua, and one suite holds both.
package placement
