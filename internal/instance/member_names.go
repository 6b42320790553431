package instance

import "bytes"

// fewNames is how many names are compared one by one, which costs less than a map for every object of usual size.
const fewNames = 32

// memberNames are the names that one object has had so far.
type memberNames struct {
	few  [][]byte
	many map[string]struct{} // nil as long as few has room; then it has all of them
}

// reset empties the set for the next object. It keeps the room for a few names, so that a document of many small
// objects costs no more memory than one of them.
func (n *memberNames) reset() {
	if n.few == nil {
		n.few = make([][]byte, 0, 8)
	}
	n.few, n.many = n.few[:0], nil
}

func (n *memberNames) has(name []byte) bool {
	if n.many != nil {
		_, ok := n.many[string(name)]
		return ok
	}
	for _, other := range n.few {
		if bytes.Equal(other, name) {
			return true
		}
	}
	return false
}

// add reports whether the name is new. It keeps the slice.
func (n *memberNames) add(name []byte) bool {
	switch {
	case n.has(name):
		return false
	case n.many != nil:
		n.many[string(name)] = struct{}{}
	case len(n.few) < fewNames:
		n.few = append(n.few, name)
	default:
		n.many = make(map[string]struct{}, 2*fewNames)
		for _, other := range n.few {
			n.many[string(other)] = struct{}{}
		}
		n.many[string(name)] = struct{}{}
	}
	return true
}
