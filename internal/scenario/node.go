package scenario

import (
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"lockstep/internal/each"
)

// convert turns the library's tree into nodes. checkTokens has refused anchors, aliases, tags and
// merge keys.
func (r *reader) convert(n ast.Node) *node {
	switch n := n.(type) {
	case *ast.MappingNode:
		return r.convertMap(n.Start, n.Values)
	case *ast.MappingValueNode:
		return r.convertMap(n.Start, []*ast.MappingValueNode{n})
	case *ast.SequenceNode:
		out := placed(listNode, n.Start)
		out.items = each.Map(n.Values, r.convert)
		return out
	case *ast.LiteralNode:
		return r.convertScalar(n.Start, n.Value.Value)
	case *ast.NullNode:
		return placed(emptyNode, n.Token)
	case *ast.StringNode:
		return r.convertScalar(n.Token, n.Value)
	case nil:
		return &node{kind: emptyNode, line: 1, col: 1, width: 1}
	default:
		// A number or a truth value: only its spelling matters here.
		t := n.GetToken()
		if t == nil {
			return &node{kind: emptyNode, line: 1, col: 1, width: 1}
		}
		if _, ok := n.(ast.ScalarNode); !ok {
			r.addToken(t, "this part of YAML has no use in a scenario: write plain keys, values and lists")
		}
		return r.convertScalar(t, t.Value)
	}
}

func (r *reader) convertScalar(t *token.Token, text string) *node {
	out := placed(scalarNode, t)
	out.text = text
	r.checkText(out)
	return out
}

func (r *reader) convertMap(start *token.Token, values []*ast.MappingValueNode) *node {
	out := placed(mapNode, start)
	for i, v := range values {
		key := r.convertKey(v.Key)
		if i == 0 && start.Type == token.MappingValueType {
			// The library places a block at its first colon; readers look at the key.
			out.line, out.col, out.width = key.line, key.col, key.width
		}
		out.entries = append(out.entries, entry{key, r.convert(v.Value)})
	}
	return out
}

func (r *reader) convertKey(k ast.MapKeyNode) *node {
	n := r.convert(k)
	if n.kind != scalarNode {
		r.problemf(n, "a key must be a word, not %s", n.kind)
		n = &node{kind: scalarNode, line: n.line, col: n.col, width: n.width}
	}
	return n
}

// checkText refuses characters that a quoted text can hide in escapes.
func (r *reader) checkText(n *node) {
	for _, c := range n.text {
		if hostile(c) && c != '\n' && c != '\t' {
			r.problemf(n, "this text contains the invisible character %U: remove it", c)
			return
		}
	}
}

func placed(kind nodeKind, t *token.Token) *node {
	return &node{kind: kind, line: t.Position.Line, col: t.Position.Column, width: tokenWidth(t)}
}
