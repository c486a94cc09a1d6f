package elsewhere

type Mutex struct{ state int }

type URL struct {
	Host string
	User *Userinfo
}

type Userinfo struct{ name, password string }
