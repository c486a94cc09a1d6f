// Package storetest is the contract of durable stores as tests (durability contract,
// section 2): what passes it is a store that objects can rely on. It runs over the
// stores of this module, and over one of your own:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t testing.TB) func() durability.StateStore {
//			file := filepath.Join(t.TempDir(), "rows.db")
//			return func() durability.StateStore {
//				s, err := mystore.Open(file)
//				if err != nil {
//					t.Fatal(err)
//				}
//				t.Cleanup(func() { _ = s.Close() })
//				return s
//			}
//		})
//	}
//
// It also has two stores to test with what stores do seldom: a Faulty, whose operations
// fail as they are told, and a Single, which hides batches.
package storetest
