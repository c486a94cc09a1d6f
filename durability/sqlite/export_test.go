package sqlite

import (
	"fmt"

	"zombiezen.com/go/sqlite/sqlitex"
)

// LimitPages makes the file full at so many pages, as a disk would be.
func (s *Store) LimitPages(n int) error {
	return sqlitex.ExecuteTransient(s.writer, fmt.Sprintf("PRAGMA max_page_count = %d", n), nil)
}
