package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strings"
)

// spot is where a field is written; without a node it is in a package that isn't of
// this run, or made by an instance.
type spot struct {
	node  *ast.Field
	pos   token.Position
	width int // of its name
}

// spot finds the syntax of a field of this package.
func (c *checker) spot(f *types.Var) spot {
	pos := c.at(f.Pos())
	at := spot{pos: pos, width: len(f.Name())}
	if f.Pkg() != c.pkg.Types {
		return spot{}
	}
	for _, file := range c.pkg.Files {
		if file.Name != pos.Filename {
			continue
		}
		ast.Inspect(file.AST, func(n ast.Node) bool {
			field, ok := n.(*ast.Field)
			if !ok || at.node != nil {
				return at.node == nil
			}
			for _, id := range field.Names {
				if c.at(id.Pos()) == pos {
					at.node = field
				}
			}
			if len(field.Names) == 0 && c.at(field.Type.Pos()).Offset <= pos.Offset && pos.Offset < c.at(field.Type.End()).Offset {
				at.node = field
			}
			return at.node == nil
		})
	}
	return at
}

// argument is the place of the T of a durable field's type; of an alias the whole.
func (c *checker) argument(at spot) (token.Position, int) {
	if at.node == nil {
		return at.pos, at.width
	}
	if index, ok := ast.Unparen(at.node.Type).(*ast.IndexExpr); ok {
		return c.node(index.Index)
	}
	return c.node(at.node.Type)
}

// inTag is the place of a key's value in a field's tag.
func (c *checker) inTag(at spot, key string) (token.Position, int) {
	if at.node == nil || at.node.Tag == nil {
		return at.pos, at.width
	}
	pos, width := c.node(at.node.Tag)
	text := at.node.Tag.Value
	value := reflect.StructTag(strings.Trim(text, "`")).Get(key)
	i := strings.Index(text, key+`:"`)
	if text[0] != '`' || i < 0 || width == 0 {
		return pos, width
	}
	pos.Column += i + len(key) + len(`:"`)
	pos.Offset += i + len(key) + len(`:"`)
	return pos, max(len(value), 1)
}
