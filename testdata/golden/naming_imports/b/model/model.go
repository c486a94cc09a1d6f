package model

type T struct{ B string }
