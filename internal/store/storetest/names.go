package storetest

// Names are what the server calls the sessions or leases of the model. The zero value knows none.
type Names[T comparable] struct {
	Made         []T // the model's, in the order in which they came
	theirs, ours map[T]T
}

// Bind notes a pair of names.
func (n *Names[T]) Bind(model, server T) {
	if n.theirs == nil {
		n.theirs, n.ours = map[T]T{}, map[T]T{}
	}
	n.Made, n.theirs[model], n.ours[server] = append(n.Made, model), server, model
}

// Theirs is the server's name for one of the model's; the same when neither knows it.
func (n *Names[T]) Theirs(model T) T {
	if name, ok := n.theirs[model]; ok {
		return name
	}
	return model
}

// Ours is the model's name for one of the server's; the same when neither knows it.
func (n *Names[T]) Ours(server T) T {
	if name, ok := n.ours[server]; ok {
		return name
	}
	return server
}
