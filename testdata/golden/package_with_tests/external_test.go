package package_with_tests_test

import (
	"testing"

	"github.com/pinned-go/pinned/goldens/package_with_tests"
)

func TestClient(t *testing.T) {
	var _ package_with_tests.Client = package_with_tests.NewClient("http://127.0.0.1:1")
}
