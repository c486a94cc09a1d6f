package diag

// Code names a kind of problem: "PIN" and three digits. A code keeps its meaning
// for ever; one that is no longer used isn't given to another.
type Code string
