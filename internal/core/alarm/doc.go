// Package alarm decides when the alarms of an instance fire, what of that their
// row holds, and when one that failed fires again (durability contract, section
// 6). The time and what is random come in with the calls.
package alarm
