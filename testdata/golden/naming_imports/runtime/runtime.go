package runtime

type Stat struct{ Up bool }
