package instance

import "bytes"

// fewNames is how many names are compared one by one, which costs less than a map for every object of usual size.
const fewNames = 16

// memberNames are the names that one object has had so far.
type memberNames struct {
	few  [][]byte            // the first of them
	more map[string]struct{} // the others
}

func (n *memberNames) has(name []byte) bool {
	for _, other := range n.few {
		if bytes.Equal(other, name) {
			return true
		}
	}
	_, ok := n.more[string(name)]
	return ok
}

// add reports whether the name is new. It keeps the slice.
func (n *memberNames) add(name []byte) bool {
	if n.has(name) {
		return false
	}
	if len(n.few) < fewNames {
		n.few = append(n.few, name)
		return true
	}
	if n.more == nil {
		n.more = make(map[string]struct{})
	}
	n.more[string(name)] = struct{}{}
	return true
}
