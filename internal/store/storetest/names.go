package storetest

// Names maps the model's names of sessions or leases to the server's. The zero value is empty.
type Names[T comparable] struct {
	Made         []T // the model's, in order of creation
	theirs, ours map[T]T
}

// Bind adds a pair of names.
func (n *Names[T]) Bind(model, server T) {
	if n.theirs == nil {
		n.theirs, n.ours = map[T]T{}, map[T]T{}
	}
	n.Made, n.theirs[model], n.ours[server] = append(n.Made, model), server, model
}

// Theirs returns the server's name for one of the model's; the same name if it is unknown.
func (n *Names[T]) Theirs(model T) T {
	if name, ok := n.theirs[model]; ok {
		return name
	}
	return model
}

// Ours returns the model's name for one of the server's; the same name if it is unknown.
func (n *Names[T]) Ours(server T) T {
	if name, ok := n.ours[server]; ok {
		return name
	}
	return server
}
