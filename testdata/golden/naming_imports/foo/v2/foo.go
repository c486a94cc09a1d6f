package foo

type Foo struct{ N int }
