"""Go: package testing with subtests, testify, cmp."""

from __future__ import annotations

from tdd_orchestrator.languages.base import CodeSample, Language, Node, Sample, Twins, opposites


def _nothing(function: Node) -> str:
    """Return zero values: named results as they are, others declared on the spot."""
    result = function.child_by_field_name("result")
    if result is None:
        return "if true { return };"
    types = [result] if result.type != "parameter_list" else list(result.named_children)
    if any(kind.type == "parameter_declaration" and kind.child_by_field_name("name") for kind in types):
        return "if true { return };"
    names = [f"z{number}" for number in range(len(types))]
    declared = "".join(
        f"var {name} {(kind.text or b'').decode()}; " for name, kind in zip(names, types, strict=True)
    )
    return f"{declared}if true {{ return {', '.join(names)} }};"


_SIGNATURE = "(parameter_list . (parameter_declaration name: (identifier) @handle type: (_) @t) .)"
_FAILS = '(#match? @fails "\\\\.(Error|Errorf|Fatal|Fatalf|Fail|FailNow)\\\\(|panic\\\\(")'
_TESTIFY = '(#match? @o "^(assert|require|is|a|r|s|suite|as|req)$|\\\\.(Require|Assert)\\\\(\\\\)$")'

_HELPER = """
type shiftErr_{token} struct{{}}

func (shiftErr_{token}) Error() string {{ return "~" }}

func shift_{token}[T any](v T) T {{
	if p, ok := any(&v).(*error); ok {{
		if *p == nil {{
			*p = shiftErr_{token}{{}}
		}} else {{
			*p = nil
		}}
		return v
	}}
	if !shiftValue_{token}(reflect_{token}.ValueOf(&v).Elem()) {{
		panic("this value cannot be shifted")
	}}
	return v
}}

func shiftValue_{token}(r reflect_{token}.Value) bool {{
	switch r.Kind() {{
	case reflect_{token}.Bool:
		r.SetBool(!r.Bool())
	case reflect_{token}.Int, reflect_{token}.Int8, reflect_{token}.Int16, reflect_{token}.Int32, reflect_{token}.Int64:
		r.SetInt(r.Int() + 7)
	case reflect_{token}.Uint, reflect_{token}.Uint8, reflect_{token}.Uint16, reflect_{token}.Uint32, reflect_{token}.Uint64, reflect_{token}.Uintptr:
		r.SetUint(r.Uint() + 7)
	case reflect_{token}.Float32, reflect_{token}.Float64:
		r.SetFloat(r.Float() + 7)
	case reflect_{token}.String:
		r.SetString(r.String() + "~")
	case reflect_{token}.Slice:
		s := reflect_{token}.MakeSlice(r.Type(), r.Len()+1, r.Len()+1)
		reflect_{token}.Copy(s, r)
		r.Set(s)
	case reflect_{token}.Map:
		m := reflect_{token}.MakeMap(r.Type())
		for _, k := range r.MapKeys() {{
			m.SetMapIndex(k, r.MapIndex(k))
		}}
		k := reflect_{token}.New(r.Type().Key()).Elem()
		if !shiftValue_{token}(k) {{
			return false
		}}
		m.SetMapIndex(k, reflect_{token}.Zero(r.Type().Elem()))
		r.Set(m)
	case reflect_{token}.Array:
		return r.Len() > 0 && shiftValue_{token}(r.Index(0))
	case reflect_{token}.Struct:
		for i := 0; i < r.NumField(); i++ {{
			f := r.Field(i)
			if shiftValue_{token}(reflect_{token}.NewAt(f.Type(), unsafe_{token}.Pointer(f.UnsafeAddr())).Elem()) {{
				return true
			}}
		}}
		return false
	case reflect_{token}.Interface:
		if r.IsNil() {{
			if r.NumMethod() > 0 {{
				return false
			}}
			r.Set(reflect_{token}.ValueOf("~"))
			return true
		}}
		c := reflect_{token}.New(r.Elem().Type()).Elem()
		c.Set(r.Elem())
		if !shiftValue_{token}(c) {{
			return false
		}}
		r.Set(c)
	case reflect_{token}.Pointer:
		c := reflect_{token}.New(r.Type().Elem())
		if !r.IsNil() {{
			c.Elem().Set(r.Elem())
			if !shiftValue_{token}(c.Elem()) {{
				c = reflect_{token}.Zero(r.Type())
			}}
		}}
		r.Set(c)
	default:
		if r.IsZero() {{
			return false
		}}
		r.Set(reflect_{token}.Zero(r.Type()))
	}}
	return true
}}
"""

_TWINS = Twins(
    fail='{handle}.Fatal("{a}" + "{b}");',
    stub_fail='if true {{ panic("{a}" + "{b}") }};',
    shapes=f"""
(if_statement condition: (binary_expression left: (_) @left operator: "!=" right: (_) @right) consequence:
  (_) @fails
  {_FAILS} (#not-eq? @left "nil") (#not-eq? @right "nil"))
(if_statement condition: (unary_expression operand: (call_expression function: (_) @f arguments:
  (argument_list . (_) @left . (_) @right)))
  consequence: (_) @fails {_FAILS} (#match? @f "(DeepEqual|Equal|EqualFold|HasPrefix|HasSuffix|Contains|Is|IsEqual)$"))
(if_statement condition: (_) @truth consequence: (_) @fails {_FAILS}
  (#not-match? @truth "^\\\\w+ [!=]= nil$"))
(call_expression function: (selector_expression operand: (_) @o field: (_) @f)
  arguments: (argument_list . (identifier) @t . (_) @left . (_) @right) {_TESTIFY}
    (#match? @t "^(t|tb|b|tt|T)$")
  (#match? @f "^(Equal|Equalf|EqualValues|Exactly|ElementsMatch|JSONEq|EqualError|ErrorContains|Contains|ErrorIs)$"))
(call_expression function: (selector_expression operand: (_) @o field: (_) @f)
  arguments: (argument_list . (_) @left . (_) @right .) {_TESTIFY} (#not-match? @left "^(t|tb|b|tt|T)$")
  (#match? @f "^(Equal|Equalf|EqualValues|Exactly|ElementsMatch|JSONEq|EqualError|ErrorContains|Contains)$"))
(call_expression function: (selector_expression operand: (_) @o field: (_) @f)
  arguments: (argument_list (_) . (_) @expected .) {_TESTIFY} (#match? @f "^Len$"))
(call_expression function: (selector_expression operand: (_) @o field: (_) @flip) {_TESTIFY}
  (#match? @flip "^(Not)?(True|False|Nil|NoError|Error|Contains|Empty|Panics|Zero|Equal|Same|Regexp)$")
    (#not-match? @flip "^(Equal|Contains)$"))
""",
    wrap="shift_{token}({e})",
    helper=_HELPER,
    header=("(package_clause) @header", '; import reflect_{token} "reflect"; import unsafe_{token} "unsafe"'),
    opposites=opposites(
        "True:False  Nil:NotNil  NoError:Error  NotContains:Contains  Empty:NotEmpty  Panics:NotPanics  "
        "Zero:NotZero  NotEqual:Equal  Same:NotSame  Regexp:NotRegexp"
    ),
    literals=("int_literal", "float_literal", "interpreted_string_literal", "true", "false", "rune_literal"),
    calls=("call_expression",),
    inner=f'(func_literal parameters: {_SIGNATURE} body: (block) @body (#eq? @t "*testing.T"))',
    returns=("return_statement",),
    scopes=("func_literal",),
    throws="""
((call_expression function: (identifier) @throws) (#eq? @throws "recover"))
((call_expression function: (selector_expression field: (_) @throws)) (#eq? @throws "Fuzz"))
""",
    branches=("expression_switch_statement", "type_switch_statement", "select_statement"),
    helper_calls="(call_expression function: (identifier) @name)",
    nothing=_nothing,
)

LANGUAGE = Language(
    name="Go",
    suffixes=(".go",),
    grammar="tree_sitter_go",
    twins=_TWINS,
    tests=f"""
((function_declaration name: (identifier) @name parameters: {_SIGNATURE} body: (block) @body) @test
  (#match? @name "^(Test|Fuzz)([^a-z]|$)") (#match? @t "^\\\\*testing\\\\.[TF]$"))
((function_declaration name: (identifier) @name parameters: (parameter_list . (parameter_declaration type:
  (_) @t) .) body: (block) @body) @test
  (#match? @name "^(Test|Fuzz)([^a-z]|$)") (#match? @t "^\\\\*testing\\\\.[TF]$"))
((method_declaration receiver: (parameter_list (parameter_declaration name: (_) @receiver type:
  (_) @suite)) name: (_) @name
  parameters: (parameter_list) @p body: (block) @body) @test (#eq? @p "()") (#match? @name "^Test")
    (#match? @suite "Suite$"))
((function_declaration name: (identifier) @name parameters: (parameter_list) @p body: (block
  (comment) @output) @body) @test
  (#eq? @p "()") (#match? @name "^Example") (#match? @output "^//\\\\s*([Uu]nordered )?[Oo]utput:"))
""",
    functions="""
(function_declaration name: (_) @name body: (block) @body) @function
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @suite)) name:
  (_) @name body: (block) @body) @function
""",
    tables="""
(for_statement (range_clause right: (composite_literal body: (literal_value) @rows)) body: (block) @body)
(for_statement (range_clause right: (identifier) @used) body: (block) @body)
(short_var_declaration left: (expression_list . (identifier) @name .)
  right: (expression_list . (composite_literal body: (literal_value) @rows) .))
(var_spec name: (identifier) @name value: (expression_list . (composite_literal body:
  (literal_value) @rows) .))
""",
    assertions="""
(call_expression function: (selector_expression operand: (_) @o field: (_) @f)
  (#match? @f "^(Error|Errorf|Fatal|Fatalf|Fail|FailNow)$")
  (#match? @o "^(t|tb|b|tt|T|f|c)$")) @assertion
(call_expression function: (selector_expression operand: (_) @o)
  (#match? @o "^(assert|require|is|qt|check|s|suite)$|\\\\.(Require|Assert)\\\\(\\\\)$")) @assertion
(call_expression function: (selector_expression field: (_) @f)
  (#match? @f "^(Diff|Equal|DeepEqual)$")) @assertion
((comment) @assertion (#match? @assertion "^// (Unordered output|Output):"))
""",
    messages="""
(call_expression function: (selector_expression operand: (_) @o field: (_) @f) arguments: (argument_list
  [(interpreted_string_literal) (raw_string_literal)] @message)
  (#match? @f "^(Error|Errorf|Fatal|Fatalf|Log|Logf)$") (#match? @o "^(t|tb|b|tt|T|f|c)$"))
""",
    marks=(
        '(call_expression function: (selector_expression field: (_) @mark) (#match? @mark "^Skip(Now|f)?$"))'
    ),
    strings=("interpreted_string_literal", "raw_string_literal", "rune_literal"),
    one_a_folder=True,
    newlines=True,
    locals="""
(short_var_declaration left: (expression_list (identifier) @local))
(var_spec name: (identifier) @local)
(range_clause left: (expression_list (identifier) @local))
(field_declaration name: (_) @fixed)
(keyed_element . (literal_element (identifier) @fixed))
""",
    inert="""
((const_spec name: (_) @n value: (expression_list (interpreted_string_literal))) @release
  (#match? @n "^[Vv](ersion|ERSION)$"))
""",
    public="""
(source_file (function_declaration name: (_) @public) (#match? @public "^[A-Z]"))
(source_file (method_declaration name: (_) @public) (#match? @public "^[A-Z]"))
(source_file (type_declaration (type_spec name: (_) @public)) (#match? @public "^[A-Z]"))
(source_file (const_declaration (const_spec name: (_) @public)) (#match? @public "^[A-Z]"))
(source_file (var_declaration (var_spec name: (_) @public)) (#match? @public "^[A-Z]"))
""",
    imports="(import_spec name: (_)? @name path: (_) @module) @import",
    samples=(
        Sample(
            "kata_test.go",
            """\
package kata

import "testing"

func TestDoubles(t *testing.T) {
	got := Double(2)
	if got != 4 {
		t.Errorf("got %d", got)
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := Double(c.in); got != c.want {
				t.Fatal(got)
			}
		})
	}
}

func TestEqual(t *testing.T) {
	if testing.Short() {
		t.Skip()
	}
	if !reflect.DeepEqual(Double(1), []int{4}) {
		t.Error("no")
	}
	assert.True(t, ok)
	return
}

func TestHandle(_ *testing.T) {}

func ExampleDouble() {
	fmt.Println(Double(2))
	// Output: 4
}

func Example() { fmt.Println("is compiled and not run") }

func TestErr(t *testing.T) {
	if err := f(); err != nil {
		t.Fatal(err)
	}
}
""",
            titles=("TestDoubles", "TestEqual", "TestHandle", "ExampleDouble", "TestErr"),
            poisoned=('t.Fatal("{a}" + "{b}");\n}', '{ t.Fatal("{a}" + "{b}"); return }'),
            shifted=(
                "got != shift_token(c.want)",
                "DeepEqual(Double(1), shift_token([]int{4}))",
                '; import reflect_token "reflect"',
            ),
            not_poisoned=("TestHandle", "ExampleDouble"),
            not_shifted=("TestHandle", "ExampleDouble", "TestErr"),
            marks=("skip",),
        ),
        CodeSample(
            "kata.go",
            """\
package kata

import (
	"fmt"
	str "strings"
)

func Double(n int) (int, error) { return n * 2, nil }

func (k *Kata) hidden() { fmt.Println(str.ToUpper("x")) }
""",
            functions=("Double", "Kata.hidden"),
            public=("Double",),
            imports=("fmt:", "strings: str"),
            raises=('{ if true { panic("{a}" + "{b}") };',),
            nothing=("var z0 int; var z1 error; if true { return z0, z1 };", "{ if true { return };"),
        ),
    ),
)
