package bad_excluded

const there = true
