package bar

type Bar struct{ X float32 }
