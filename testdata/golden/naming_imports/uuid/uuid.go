package another_uuid

type UUID struct{ ID string }
