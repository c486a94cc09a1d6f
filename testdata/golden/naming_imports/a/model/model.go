package model

type T struct{ A string }
