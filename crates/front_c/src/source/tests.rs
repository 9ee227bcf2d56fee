//! Tests of the layer as a whole, on small sources and on what a preprocessor prints for them.

use super::*;
use farkas_base::{SourceFile, render_concise};
use std::fmt::Write;
use std::sync::Arc;

/// The unit of `source` and the preprocessor's output `preprocessed`, in which `@` opens a line marker of `t.c`.
fn unit_of(source: &str, preprocessed: &str) -> TranslationUnit {
    let text = format!(
        "# 0 \"t.c\"\n# 0 \"<built-in>\"\n# 0 \"<command-line>\"\n# 1 \"t.c\"\n{preprocessed}"
    );
    TranslationUnit::parse(Arc::new(SourceFile::new("t.c", source)), text).unwrap()
}

/// The unit of a source without conditionals, includes and macro calls, which preprocesses to itself.
fn unit(source: &str) -> TranslationUnit {
    unit_of(source, source)
}

/// The tokens of the function body, each that does not stand as such in the original with `<…>`, its place there.
fn check_spans(source: &str, preprocessed: &str, expect: &str) {
    let unit = unit_of(source, preprocessed);
    let mut shown = String::new();
    for_each_node(unit.root(), &mut |node| {
        let inside =
            unit.functions().next().is_some_and(|(_, f)| f.start_byte() <= node.start_byte());
        if node.child_count() == 0 && !unit.text(node).trim().is_empty() && inside {
            let written = unit.source().slice(unit.span(node));
            let text = unit.text(node);
            let place = if written == text { String::new() } else { format!("<{written}>") };
            let _ = write!(shown, "{text}{place} ");
        }
    });
    let body = shown.split_once("{ ").map_or("", |(_, body)| body);
    assert_eq!(body.trim_end_matches(" } "), expect, "{source}");
}

#[test]
fn spans_without_macros_are_exact() {
    let source = "void f(void)\n{\n\tx  = /* c */ y; // d\n  z = \"a\" ;\n}";
    check_spans(
        source,
        "void f(void)\n{\n x = y;\n  z = \"a\" ;\n}\n",
        "x = y ; z = \" a \" ;".replace("\" a \"", "\"<\"a\"> a<\"a\"> \"<\"a\">").as_str(),
    );
}

#[test]
fn a_macro_gives_its_tokens_the_span_of_its_call() {
    let macros = "#define N 10\n#define min(a,b) ((a)<(b)?(a):(b))\n";
    check_spans(
        &format!("{macros}void f(void) {{ x = N + 1; }}\n"),
        &format!("{macros}void f(void) {{ x = 10 + 1; }}\n"),
        "x = 10<N> + 1 ;",
    );
    check_spans(
        &format!("{macros}void f(void) {{ x = min(N, y) + y; }}\n"),
        &format!("{macros}void f(void) {{ x = ((10)<(y)?(10):(y)) + y; }}\n"),
        "x = ( ( 10 ) < ( y ) ? ( 10 ) : ( y ) ) + y ;"
            .replace(
                "( ( 10 ) < ( y ) ? ( 10 ) : ( y ) )",
                &call_tokens("( ( 10 ) < ( y ) ? ( 10 ) : ( y ) )", "min(N, y)"),
            )
            .as_str(),
    );
}

/// The blank-separated `tokens`, each with `place`.
fn call_tokens(tokens: &str, place: &str) -> String {
    tokens.split(' ').map(|t| format!("{t}<{place}>")).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_call_over_several_lines_is_one_place() {
    let macros = "#define N 3\n#define add(a,b) a + b\n";
    check_spans(
        &format!("{macros}void f(void) {{\n x = add(y,\n   N\n  ) - N; z;\n}}\n"),
        &format!("{macros}void f(void) {{\n x = y + 3\n\n   - 3; z;\n}}\n"),
        &format!("x = {} - 3<N> ; z ;", call_tokens("y + 3", "add(y,\n   N\n  )")),
    );
}

#[test]
fn pasting_strings_recursion_and_empty_macros() {
    let macros = "#define CAT(a,b) a##b\n#define STR(x) #x\n#define E\n#define self self + 1\n#define G h\n#define h(x) [x]\n";
    check_spans(
        &format!("{macros}void f(void) {{ CAT(x,1) = E y; s = STR(a  b); self; a G(2); b; }}\n"),
        &format!("{macros}void f(void) {{ x1 = y; s = \"a b\"; self + 1; a [2]; b; }}\n"),
        &format!(
            "x1<CAT(x,1)> = y ; s = {} ; {} ; a [<G(2)> 2<G(2)> ]<G(2)> ; b ;",
            call_tokens("\" a·b \"", "STR(a  b)").replace('·', " "),
            call_tokens("self + 1", "self").replace("self<self>", "self")
        ),
    );
}

#[test]
fn compiler_macros_and_variadic_calls() {
    let macros = "#define LOG(fmt,...) g(fmt, ## __VA_ARGS__)\n#define ALL(...) g(__VA_ARGS__)\n";
    check_spans(
        &format!("{macros}void f(void) {{ x = __LINE__; LOG(1); LOG(1, 2, 3); ALL(4, 5); y; }}\n"),
        &format!("{macros}void f(void) {{ x = 3; g(1); g(1, 2, 3); g(4, 5); y; }}\n"),
        &format!(
            "x = 3<__LINE__> ; {} ; {} ; {} ; y ;",
            call_tokens("g ( 1 )", "LOG(1)"),
            call_tokens("g ( 1 , 2 , 3 )", "LOG(1, 2, 3)"),
            call_tokens("g ( 4 , 5 )", "ALL(4, 5)")
        ),
    );
}

#[test]
fn lines_that_the_preprocessor_dropped_are_passed_over() {
    let source = "void f(void) {\n#if 0\n x = 1;\n#else\n x = 2;\n#endif\n}\n";
    check_spans(source, "void f(void) {\n\n\n\n x = 2;\n\n}\n", "x = 2 ;");
    let unit = unit_of(source, "void f(void) {\n\n\n\n x = 2;\n\n}\n");
    let mut lines = Vec::new();
    for_each_node(unit.root(), &mut |n| {
        if n.kind() == "number_literal" {
            lines.push(unit.source().line(unit.span(n)));
        }
    });
    assert_eq!(lines, [5]);
}

#[test]
fn an_unknown_expansion_ends_where_the_texts_agree_again() {
    // The definitions that the text shows do not make what it holds (as with `__VA_OPT__`).
    let macros = "#define odd(x) x\n";
    check_spans(
        &format!("{macros}void f(void) {{ a = odd(1) * b; c; }}\n"),
        &format!("{macros}void f(void) {{ a = p q r * b; c; }}\n"),
        &format!("a = {} * b ; c ;", call_tokens("p q r", "odd(1)")),
    );
}

#[test]
fn line_ends_marks_and_missing_ends() {
    check_spans("void f(void) {\r\n  x = 1;\r\n}\r\n", "void f(void) {\n  x = 1;\n}\n", "x = 1 ;");
    check_spans("\u{feff}void f(void) {  x = 1; }", "void f(void) { x = 1; }\n", "x = 1 ;");
    check_spans("void f(void) { x \\\n = 1; }", "void f(void) { x\n = 1; }\n", "x = 1 ;");
}

#[test]
fn text_of_the_users_headers_is_placed_at_the_include() {
    let source = "int a;\n#include \"d.h\"\nvoid f(void) { x; }\n";
    let text = "int a;\n# 1 \"d.h\" 1\ndouble A[10];\n# 3 \"t.c\" 2\nvoid f(void) { x; }\n";
    let unit = unit_of(source, text);
    let array = unit.root().named_child(1).unwrap();
    assert_eq!(unit.text(array), "double A[10];");
    assert_eq!(unit.source().slice(unit.span(array)), "#include \"d.h\"");
}

#[test]
fn a_type_name_in_parentheses_is_a_cast() {
    let body = "void f(void) { x = (u)(y) + (u)-1 + sizeof(size_t); }\n";
    let source = format!("#include <s.h>\ntypedef unsigned u;\n{body}");
    let text = format!(
        "# 1 \"/usr/include/s.h\" 1 3 4\ntypedef unsigned long __z;\ntypedef __z\n  size_t;\n# 2 \"t.c\" 2\ntypedef unsigned u;\n{body}"
    );
    let unit = unit_of(&source, &text);
    let mut kinds = Vec::new();
    for_each_node(unit.root(), &mut |n| {
        if matches!(n.kind(), "cast_expression" | "sizeof_expression" | "call_expression") {
            let words: Vec<_> = unit.text(n).split_whitespace().collect();
            kinds.push(format!("{} {}", n.kind(), words.join(" ")));
            if let Some(descriptor) = n.child_by_field_name("type") {
                kinds.push(format!("{:?}", CType::of_descriptor(&unit, descriptor).base));
            }
        }
    });
    let unsigned = |bits| format!("Integer {{ bits: {bits}, signed: false }}");
    let expect = [
        "cast_expression ( u)(y)".to_owned(),
        unsigned(32),
        "cast_expression ( u)-1".to_owned(),
        unsigned(32),
        "sizeof_expression sizeof( size_t)".to_owned(),
        unsigned(64),
    ];
    assert_eq!(kinds, expect);
    assert!(!unit.root().has_error());
}

#[test]
fn a_variable_in_parentheses_is_no_cast() {
    for operator in ["+", "-", "*", "&"] {
        for before in
            ["x = ", "x += ", "x = 2 <", "return ", "x = a[1] *", "x = -", "g(1, ", "x = ("]
        {
            let after = if before.ends_with('(') || before.contains("g(") { ")" } else { "" };
            let body = format!("{before}(s) {operator} (float)(y){after};");
            let source = format!("double f(void) {{ {body} }}\n");
            let unit = unit_of(&source, &source);
            let mut kinds = Vec::new();
            for_each_node(unit.root(), &mut |n| {
                if n.kind() == "cast_expression" {
                    kinds.push(unit.text(n).to_owned());
                }
            });
            assert_eq!(kinds, ["(float)(y)"], "{body}");
            assert!(!unit.root().has_error(), "{body}");
        }
    }
}

#[test]
fn types_that_the_compiler_is_given_are_no_errors() {
    for (call, arguments) in [
        ("__builtin_va_arg(ap, double *)", ["ap", "sizeof(double *)"]),
        (
            "__builtin_va_arg(g(ap, 1), int (*)(int, long))",
            ["g(ap, 1)", "sizeof(int (*)(int, long))"],
        ),
        ("__builtin_offsetof(struct p, x[2].y)", ["sizeof(struct p)", "x[2].y"]),
        (
            "__builtin_types_compatible_p(unsigned long, float[3])",
            ["sizeof(unsigned long)", "sizeof(float[3])"],
        ),
    ] {
        let source = format!("long f(void) {{ return {call}; }}\n");
        let unit = unit(&source);
        assert!(!unit.root().has_error(), "{call}");
        let mut found = Vec::new();
        for_each_node(unit.root(), &mut |node| {
            if node.kind() == "call_expression" && unit.source().slice(unit.span(node)) == call {
                let list = node.child_by_field_name("arguments").unwrap();
                let mut cursor = list.walk();
                let parsed = |n: Node<'_>| unit.parsed[n.byte_range()].to_owned();
                found = list.named_children(&mut cursor).map(parsed).collect();
            }
        });
        assert_eq!(found, arguments, "{call}");
    }
}

#[test]
fn macros_that_took_part_and_their_values() {
    let macros = "#define NI 1000\n#define BOUND(x,y) y\n#define _PB (NI + 4)\n#define P BOUND(NI,n)\n#define T double\n\
                  #define M 3\n#undef M\n#define M 4\n#define X NI * z\n";
    let source = format!("{macros}void f(void) {{ a = _PB + P + (T) M + X; }}\n");
    let text = format!("{macros}void f(void) {{ a = (1000 + 4) + n + (double) 4 + 1000 * z; }}\n");
    let unit = unit_of(&source, &text);
    let function = unit.function("f").unwrap();
    let shown: Vec<_> = unit
        .macros_in(unit.span(function))
        .iter()
        .map(|m| format!("{} = {} {:?}", m.name, m.expansion, m.value))
        .collect();
    let expect = [
        "_PB = ( 1000 + 4 ) Some(1004)",
        "NI = 1000 Some(1000)",
        "P = n None",
        "T = double None",
        "M = 4 Some(4)",
        "X = 1000 * z None",
    ];
    assert_eq!(shown, expect);
}

/// The regions as `NAME: KINDS OF STATEMENTS`, and the diagnostics.
fn show_regions(unit: &TranslationUnit) -> String {
    let (regions, diagnostics) = marked_regions(unit);
    let mut shown = String::new();
    for region in &regions {
        let kinds: Vec<_> = region.statements.iter().map(Node::kind).collect();
        let _ = writeln!(shown, "{}: {}", region.name(), kinds.join(" "));
    }
    shown + &diagnostics.iter().map(render_concise).collect::<String>()
}

#[test]
fn regions_of_a_file() {
    let source = "void f(int n) {\n  int i;\n  if (n) {\n#pragma scop\n    x = 1;\n    for (i = 0; i < n; i++) y = 1;\n\
                  #pragma   endscop\n  }\n  #pragma scop\n  #pragma endscop\n}\nvoid g(void) {\n  while (1) {\n\
                  #pragma scop\n  int k;\n  { x = 2; }\n#pragma endscop\n }\n}\n";
    let unit = unit(source);
    assert_eq!(
        show_regions(&unit),
        "f: expression_statement for_statement\nf:2: \ng: declaration compound_statement\n"
    );
    let (regions, _) = marked_regions(&unit);
    let slices: Vec<_> = regions
        .iter()
        .map(|r| (unit.source().slice(r.span), unit.source().slice(r.inside)))
        .collect();
    assert_eq!(
        slices[0].0,
        "#pragma scop\n    x = 1;\n    for (i = 0; i < n; i++) y = 1;\n#pragma   endscop"
    );
    assert_eq!(slices[0].1, "    x = 1;\n    for (i = 0; i < n; i++) y = 1;\n");
    assert_eq!(slices[1], ("  #pragma scop\n  #pragma endscop", ""));
    let shape: Vec<_> =
        regions.iter().map(|r| (r.indentation.len(), r.enclosing_loops.len())).collect();
    assert_eq!(shape, [(4, 0), (2, 0), (2, 1)]);
}

#[test]
fn pragma_operators_mark_regions_too() {
    let source = "#define OPEN _Pragma(\"scop\")\nvoid f(void) { OPEN x = 1; y = 2; _Pragma(\"endscop\") z; }\n";
    let text = "#define OPEN _Pragma(\"scop\")\nvoid f(void) {\n# 2 \"t.c\"\n#pragma scop\n# 2 \"t.c\"\n x = 1; y = 2;\n\
                # 2 \"t.c\"\n#pragma endscop\n# 2 \"t.c\"\n z; }\n";
    let unit = unit_of(source, text);
    let (regions, diagnostics) = marked_regions(&unit);
    assert!(diagnostics.is_empty());
    assert_eq!(unit.source().slice(regions[0].span), "OPEN x = 1; y = 2; _Pragma(\"endscop\")");
    assert_eq!(unit.source().slice(regions[0].inside), " x = 1; y = 2; ");
    assert_eq!(regions[0].statements.len(), 2);
}

#[test]
fn each_wrong_region_has_its_message() {
    let check = |body: &str, expect: &str| assert_eq!(show_regions(&unit(body)), expect, "{body}");
    check(
        "void f() {\n#pragma endscop\n}\n",
        "t.c:2:1: error[endscop-without-scop]: `#pragma endscop` without an open region\n",
    );
    check(
        "void f() {\n#pragma scop\n}\n",
        "t.c:2:1: error[scop-without-endscop]: the region is never closed\n",
    );
    check(
        "void f() {\n#pragma scop\nx;\n#pragma scop\ny;\n#pragma endscop\n}\n",
        "f: expression_statement expression_statement\nt.c:4:1: error[nested-scop]: a region is opened inside another\n",
    );
    let across = "error[scop-across-blocks]: the region is opened and closed in different blocks\n";
    check("void f() {\n#pragma scop\n{ x;\n#pragma endscop\n}}\n", &format!("t.c:2:1: {across}"));
    check(
        "void f() {\n#pragma scop\n}\nvoid g() {\n#pragma endscop\n}\n",
        &format!("t.c:2:1: {across}"),
    );
    check(
        "void f() { for (;;)\n#pragma scop\nx;\n#pragma endscop\n}\n",
        &format!("t.c:2:1: {across}"),
    );
    check(
        "#pragma scop\nx;\n#pragma endscop\nvoid f() {}\n",
        "t.c:1:1: error[scop-outside-function]: the region lies outside any function\n",
    );
    check(
        "void f() {\n#pragma scop\nx = (1;\n#pragma endscop\n}\n",
        "t.c:3:5: error[syntax-error]: `(` is never closed\n",
    );
    check(
        "void f() {\n#pragma scop\nx = 1;\n#pragma omp parallel for\ny = 1;\n#pragma endscop\n}\n",
        "f: expression_statement expression_statement\n\
         t.c:4:1: remark[pragma-dropped]: `#pragma omp parallel for` inside the region is dropped\n",
    );
    check(
        "#line 7\nvoid f() {\n#pragma scop\n#pragma endscop\n}\n",
        "t.c:1:1: error[line-directive]: the file says that its lines are those of another file\n",
    );
    check("", "");
}

#[test]
fn places_of_syntax_errors() {
    let check = |body: &str, expect: &str| {
        let source = format!(
            "#define UP(x) x +\nvoid f() {{\n#pragma scop\n{body}\n#pragma endscop\n}}\nint g;\n"
        );
        let expanded = source.replace("UP(1)", "1 +");
        let (regions, diagnostics) = marked_regions_of(&source, &expanded);
        assert_eq!((regions, diagnostics.as_str()), (0, expect), "{body}");
    };
    let syntax = "error[syntax-error]";
    check("for (;;)\n  x = 1", &format!("t.c:5:8: {syntax}: `;` is missing\n"));
    check("for (;;) {\n  x = 1;", &format!("t.c:2:10: {syntax}: `{{` is never closed\n"));
    check("x = 1;\n}", &format!("t.c:7:1: {syntax}: `}}` closes nothing\n"));
    check("x = a[(1];", &format!("t.c:4:7: {syntax}: `(` is never closed\n"));
    check("x = @1;", &format!("t.c:4:5: {syntax}: this is not C that can be parsed\n"));
    check("x = UP(1);", &format!("t.c:4:5: {syntax}: this is not C that can be parsed\n"));
}

/// The number of regions, and the diagnostics.
fn marked_regions_of(source: &str, preprocessed: &str) -> (usize, String) {
    let unit = unit_of(source, preprocessed);
    let (regions, diagnostics) = marked_regions(&unit);
    (regions.len(), diagnostics.iter().map(render_concise).collect())
}

#[test]
fn included_files_and_regions() {
    let source = "void f() {\n#include \"r.h\"\n}\nvoid g() {\n#pragma scop\n#include \"s.h\"\n#if A\nx;\n#endif\n#pragma endscop\n}\n";
    let text = "void f() {\n# 1 \"r.h\" 1\n#pragma scop\ny;\n#pragma endscop\n# 3 \"t.c\" 2\n}\nvoid g() {\n#pragma scop\n\
                # 1 \"s.h\" 1\n/*S*/\n# 7 \"t.c\" 2\n\nx;\n\n#pragma endscop\n}\n";
    assert_eq!(
        show_regions(&unit_of(source, text)),
        "g: expression_statement\n\
         t.c:2:1: error[scop-in-included-file]: `#pragma scop` in an included file: r.h, line 1\n\
         t.c:2:1: error[scop-in-included-file]: `#pragma endscop` in an included file: r.h, line 3\n\
         t.c:7:1: warning[conditional-in-region]: the region depends on a condition of the preprocessor\n"
    );
    assert_eq!(
        show_regions(&unit_of(source, &text.replace("/*S*/", "z;"))).lines().last(),
        Some(
            "t.c:6:1: error[include-in-region]: the region includes a file with statements or declarations"
        )
    );
}

#[test]
fn regions_from_statements() {
    let macros = "#define LOOP for (i = 0; i < 3; i++) {\n";
    let source =
        format!("{macros}void f(void) {{\n  a = 1;\n  b = 2; /* b */\n  LOOP c = 3; }}\n}}\n");
    let text = format!(
        "{macros}void f(void) {{\n  a = 1;\n  b = 2;\n  for (i = 0; i < 3; i++) {{ c = 3; }}\n}}\n"
    );
    let unit = unit_of(&source, &text);
    let body = unit.function("f").unwrap().child_by_field_name("body").unwrap();
    let statements: Vec<_> =
        (0..body.named_child_count()).filter_map(|i| body.named_child(i)).collect();
    let region = Region::from_statements(&unit, &statements[..2]).unwrap();
    assert_eq!(unit.source().slice(region.span), "  a = 1;\n  b = 2;");
    assert!(!region.marked && region.function_name == "f" && region.indentation == "  ");
    let region = Region::from_statements(&unit, &statements[2..]).unwrap();
    assert_eq!(unit.source().slice(region.span), "  LOOP c = 3; }");
    let inner = statements[2].child_by_field_name("body").unwrap().named_child(0).unwrap();
    assert!(Region::from_statements(&unit, &[inner]).is_ok());
    assert!(Region::from_statements(&unit, &[]).is_err());
    assert!(Region::from_statements(&unit, &[statements[0], inner]).is_err());
}

#[test]
fn a_macro_call_is_never_cut() {
    let macros = "#define TWO a = 1; b = 2;\n";
    let source = format!("{macros}void f(void) {{\n  TWO\n}}\n");
    let text = format!("{macros}void f(void) {{\n  a = 1; b = 2;\n}}\n");
    let unit = unit_of(&source, &text);
    let body = unit.function("f").unwrap().child_by_field_name("body").unwrap();
    let statements: Vec<_> =
        (0..body.named_child_count()).filter_map(|i| body.named_child(i)).collect();
    assert!(Region::from_statements(&unit, &statements).is_ok());
    let error = Region::from_statements(&unit, &statements[..1]).unwrap_err();
    assert_eq!(
        render_concise(&error),
        "t.c:3:3: error[region-in-macro]: a macro call makes only a part of the region\n"
    );
}

/// The symbols that the first region sees, those of functions left out.
fn check_symbols(source: &str, expect: &str) {
    let unit = unit(source);
    let (regions, diagnostics) = marked_regions(&unit);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let table = SymbolTable::new(&unit, &regions[0]);
    let mut shown = String::new();
    for symbol in table.iter() {
        let extents = |e: &[Option<Node<'_>>]| {
            e.iter().map(|n| format!("[{}]", n.map_or("", |n| unit.text(n)))).collect::<String>()
        };
        let shape = match symbol.shape() {
            Shape::Scalar => String::new(),
            Shape::Array { extents: e, is_pointer } => {
                extents(&e) + if is_pointer { " by pointer" } else { "" }
            }
            Shape::Pointers => " pointers".to_owned(),
            Shape::Function => continue,
        };
        let base = match &symbol.ctype.base {
            BaseType::Integer { bits, signed } => {
                format!("{}{bits}", if *signed { "i" } else { "u" })
            }
            other => format!("{other:?}"),
        };
        let text = &symbol.ctype.base_text;
        let _ = writeln!(shown, "{:?} {}: {base} ({text}){shape}", symbol.scope, symbol.name);
    }
    assert_eq!(shown, expect);
}

#[test]
fn shapes_of_declarations() {
    check_symbols(
        "typedef float real;\ntypedef real mat[4][5];\ntypedef double *ptr;\nenum { N = 8, N1 };\n\
         static const double G[N][2], s;\nextern int late[6];\nunsigned long long u;\nlong double ld;\n\
         void f(int n, double A[n][n+1], double B[][3], double (*C)[7], const double *restrict D, real **p,\n\
                double E[static restrict 4], mat F, mat *H, struct q *S, void (*g)(int)) {\n\
         mat m[3]; char c = 'a', *t; ptr w; short int *x[2]; size_t z;\n{ int hidden; }\n\
         double B2[3];\n for (int i = 0; i < n; i++) {\n float c, B2; extern int late[];\n#pragma scop\n#pragma endscop\n int after;\n}\n}\nint late[9];\n",
        "Parameter A: Double (double)[n][n+1] by pointer\n\
         Parameter B: Double (double)[][3] by pointer\n\
         Local B2: Float (float)\n\
         Parameter C: Double (double)[][7] by pointer\n\
         Parameter D: Double (double)[] by pointer\n\
         Parameter E: Double (double)[4] by pointer\n\
         Parameter F: Float (real)[4][5] by pointer\n\
         Global G: Double (double)[N][2]\n\
         Parameter H: Float (real)[][4][5] by pointer\n\
         Enumerator N: i32 (int)\n\
         Enumerator N1: i32 (int)\n\
         Parameter S: Record(\"q\") (struct q)[] by pointer\n\
         Local c: Float (float)\n\
         Local i: i32 (int)\n\
         Global late: i32 (int)[6]\n\
         Global ld: LongDouble (long double)\n\
         Local m: Float (real)[3][4][5]\n\
         Parameter n: i32 (int)\n\
         Parameter p: Float (real) pointers\n\
         Global s: Double (double)\n\
         Local t: i8 (char)[] by pointer\n\
         Global u: u64 (unsigned long long)\n\
         Local w: Double (double)[] by pointer\n\
         Local x: i16 (short int) pointers\n\
         Local z: u64 (size_t)\n",
    );
}

#[test]
fn qualifiers_storage_and_initializers() {
    let source = "static const double k = 2.5;\nenum { A, B = 7, C };\nvoid f(double *restrict volatile p, double q[restrict const]) {\n\
                  double *r = p + 1;\n#pragma scop\n#pragma endscop\n}\n";
    let unit = unit(source);
    let (regions, _) = marked_regions(&unit);
    let table = SymbolTable::new(&unit, &regions[0]);
    let k = table.get("k").unwrap();
    assert!(k.storage.is_static && k.ctype.qualifiers.is_const);
    assert_eq!(k.initializer.map(|n| unit.text(n)), Some("2.5"));
    let Layer::Pointer(qualifiers) = table.get("p").unwrap().ctype.layers[0] else {
        panic!("a pointer")
    };
    assert!(qualifiers.is_restrict && qualifiers.is_volatile && !qualifiers.is_const);
    let Layer::Array { qualifiers, .. } = table.get("q").unwrap().ctype.layers[0] else {
        panic!("an array")
    };
    assert!(qualifiers.is_restrict && qualifiers.is_const);
    assert_eq!(table.get("r").unwrap().initializer.map(|n| unit.text(n)), Some("p + 1"));
    let value = |name| {
        let symbol = table.get(name).unwrap();
        (symbol.initializer.map(|n| unit.text(n)), symbol.enumerator_offset)
    };
    assert_eq!([value("A"), value("B"), value("C")], [(None, 0), (Some("7"), 0), (Some("7"), 1)]);
    assert_eq!(unit.source().slice(table.get("r").unwrap().span), "r");
}

/// Which of the one-letter names are live after the region of a function with `before` and `after` it.
fn check_live(before: &str, after: &str, expect: &str) {
    let source = format!(
        "double g;\nvoid f(int n, double *a, int v) {{\n{before}\n#pragma scop\nx = i;\n#pragma endscop\n{after}\n}}\n"
    );
    let unit = unit(&source);
    let (regions, diagnostics) = marked_regions(&unit);
    assert!(diagnostics.is_empty(), "{source} {diagnostics:?}");
    let table = SymbolTable::new(&unit, &regions[0]);
    let live: Vec<_> = ["a", "g", "i", "s", "v", "x"]
        .into_iter()
        .filter(|name| table.is_live_after(name))
        .collect();
    assert_eq!(live.concat(), expect, "{before} / {after}");
}

#[test]
fn what_is_live_after_a_region() {
    let locals = "int i, x; static int s;";
    check_live(locals, "", "ags");
    check_live(locals, "return x;", "agsx");
    check_live(locals, "x = 3; for (i = 0; i < n; i++) g = i; return x;", "ags");
    check_live(locals, "x = x + 1;", "agsx");
    check_live(locals, "x += 1;", "agsx");
    check_live(locals, "if (n) x = 1; return x;", "agsx");
    check_live(locals, "for (i = 0, x = 1; i < x; i++) ;", "ags");
    check_live(locals, "for (; i < n; i++) ;", "agis");
    check_live(locals, "{ int x; x++; } return v;", "agsv");
    check_live("int i, x; static int s; h(&x);", "", "agsx");
    check_live("int i, x; static int s; while (n) { g = x;", "}", "agsx");
    check_live("int i, x; static int s; while (n) { x = 1;", "}", "ags");
    check_live("int i, x; static int s; while (n) { x = 1; g = x;", "}", "ags");
    check_live("int i, x; static int s; while (n) { x = 1; if (v) { g = x; }", "g = x; }", "agsvx");
    check_live("int i, x; static int s; x = 1;", "g = x;", "agsx");
    check_live("int i, x; static int s; while (n) { x = 1; while (n) {", "} g = x; }", "agsx");
    check_live("int i, x; static int s; while (n) { x = 1; while (n) { g = x;", "} }", "agsx");
    check_live(locals, "if (n) { x = 1; while (v) g = x; }", "agsv");
    check_live(locals, "if (n) x = 1; else g = x;", "agsx");
    check_live(locals, "switch (n) { x = 1; case 0: g = x; }", "agsx");
    check_live("int i, x; static int s; while (n) {", "} x = 1;", "ags");
    check_live("int i, x; static int s; while (n) {", "if (v) break; x = 1; } g = x;", "agsvx");
    check_live("int i, x; static int s; l: g = x;", "goto l;", "agsx");
    check_live("int i, x; static int s; if (n) {", "} else if (v) { g = x; } else g = i;", "ags");
    check_live("int i, x; static int s; if (n) {", "} else { g = x; } g = i;", "agis");
    check_live("int i, x; static int s; while (v) { if (n) {", "} else { g = x; } }", "agsvx");
    check_live("int i, x; static int s; if (n) { while (v) {", "} } else { g = x; }", "agsv");
    check_live("int i, x; static int s; l: if (n) {", "} else { g = x; } goto l;", "agsx");
}

#[test]
fn local_arrays_and_pointers_that_others_may_know() {
    let source = "void f(int n) {\n double A[9], B[9], C[9][9], *p = B, D[2]; n = sizeof(A); h(C[1]); h(D);\n#pragma scop\n\
                  A[0] = (B)[1] + C[0][0];\n#pragma endscop\n C[0][0] = A[1];\n}\n";
    let unit = unit(source);
    let (regions, _) = marked_regions(&unit);
    let table = SymbolTable::new(&unit, &regions[0]);
    let names = |f: &dyn Fn(&str) -> bool| {
        ["A", "B", "C", "D", "p"].into_iter().filter(|n| f(n)).collect::<String>()
    };
    assert_eq!(names(&|n| table.is_address_taken(n)), "BCD");
    assert_eq!(names(&|n| table.is_live_after(n)), "ABCDp");
}

#[test]
fn uses_and_assignments_of_a_name() {
    let source = "void f(int n, double *p) {\n int x = 1; p = p + 1; { int x; x = 2; }\n#pragma scop\n x = 3;\n\
                  #pragma endscop\n x += 4; n = x;\n}\n";
    let unit = unit(source);
    let (regions, _) = marked_regions(&unit);
    let table = SymbolTable::new(&unit, &regions[0]);
    let lines = |nodes: Vec<Node<'_>>| {
        nodes.iter().map(|n| unit.source().line(unit.span(*n))).collect::<Vec<_>>()
    };
    assert_eq!(lines(table.uses("x")), [2, 4, 6, 6]);
    assert_eq!(lines(table.uses_after("x")), [6, 6]);
    assert_eq!(lines(table.assignments(table.get("x").unwrap())), [4, 6]);
    let texts: Vec<_> =
        table.assignments(table.get("p").unwrap()).iter().map(|n| unit.text(*n)).collect();
    assert_eq!(texts, ["p = p + 1"]);
}

#[test]
fn names_of_other_scopes_are_other_variables() {
    let source = "double *g, a[9];\nvoid f(int n, void (*h)(int n)) {\n extern double a[9];\n g = a; n = n / 2;\n\
                  { double g[2]; g[0] = 1; {\n#pragma scop\n a[0] = 3;\n#pragma endscop\n }}\n}\n";
    let unit = unit(source);
    let (regions, _) = marked_regions(&unit);
    let table = SymbolTable::new(&unit, &regions[0]);
    let lines = |name| {
        let nodes = table.uses(name);
        nodes.iter().map(|n| unit.source().line(unit.span(*n))).collect::<Vec<_>>()
    };
    assert_eq!(lines("n"), [2, 2, 4, 4]);
    assert_eq!(lines("g"), [5, 5]);
    assert_eq!(lines("a"), [3, 4, 7]);
    let set = table.assignments(table.get("n").unwrap())[0];
    let hidden = unit.function("f").and_then(|f| {
        let mut found = None;
        for_each_node(f, &mut |n| found = found.or(Some(n).filter(|n| unit.text(*n) == "g")));
        found
    });
    assert_eq!(
        table.meant_by(set.child_by_field_name("left").unwrap()).unwrap().scope,
        ScopeKind::Parameter
    );
    assert_eq!(table.meant_by(hidden.unwrap()).unwrap().scope, ScopeKind::Global);
}

#[test]
fn the_compiler_says_whether_char_has_a_sign() {
    let source =
        "typedef char letter;\nvoid f(char a, letter b, signed char c, unsigned char d) {}\n";
    let signs = |macros: &str| {
        let unit = unit_of(source, &format!("{macros}# 1 \"t.c\"\n{source}"));
        let kinds = parameters(unit.function("f").unwrap()).into_iter().map(|p| {
            let types = declared_symbols(&unit, p, ScopeKind::Parameter);
            matches!(types[0].ctype.base, BaseType::Integer { bits: 8, signed: true })
        });
        kinds.collect::<Vec<_>>()
    };
    assert_eq!(signs(""), [true, true, true, false]);
    assert_eq!(signs("#define __CHAR_UNSIGNED__ 1\n"), [false, false, true, false]);
}

#[test]
fn functions_and_names() {
    let source = "static double sq(double x) { return x * x; }\nint main() { return 0; }\nint old(a) int a; { return a; }\n";
    let unit = unit(source);
    assert_eq!(unit.functions().map(|(name, _)| name).collect::<Vec<_>>(), ["sq", "main", "old"]);
    assert!(unit.names().contains("x") && unit.function("none").is_none());
    let names: Vec<_> =
        parameters(unit.function("old").unwrap()).iter().map(|n| unit.text(*n)).collect();
    assert_eq!(names, ["int a;"]);
}

/// A step of a small linear congruential generator.
fn random(state: &mut u64, below: usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*state >> 33).unwrap_or(0) % below.max(1)
}

#[test]
fn no_input_panics() {
    const WORDS: [&str; 24] = [
        "{",
        "}",
        "(",
        ")",
        "#define N(",
        "\n#pragma scop\n",
        "\n#pragma endscop\n",
        "\n# 3 \"t.c\"\n",
        "\n# 1 \"x.h\" 1\n",
        "\n# 9 \"t.c\" 2\n",
        "\"",
        "'",
        "\\\n",
        "/*",
        "*/",
        "min(",
        "##",
        ",",
        "\0",
        "é",
        "typedef int ",
        "_Pragma(",
        ";",
        "\r\n",
    ];
    let source = "#include <m.h>\n#define N 10\n#define min(a,b) ((a)<(b)?(a):(b))\ntypedef double T;\nT A[N][N];\n\
                  void f(int n) {\n int i;\n#pragma scop\n for (i = 0; i < min(n, N); i++)\n  A[i][0] = (T)(i);\n\
                  #pragma endscop\n}\n";
    let text = "# 1 \"/usr/m.h\" 1 3\ntypedef struct { int a; } m_t;\n# 2 \"t.c\" 2\n#define N 10\n\
                #define min(a,b) ((a)<(b)?(a):(b))\ntypedef double T;\nT A[10][10];\nvoid f(int n) {\n int i;\n\
                #pragma scop\n for (i = 0; i < ((n)<(10)?(n):(10)); i++)\n  A[i][0] = (T)(i);\n#pragma endscop\n}\n";
    let mutate = |original: &str, state: &mut u64| {
        let mut bytes = original.as_bytes().to_vec();
        for _ in 0..random(state, 6) {
            let at = random(state, bytes.len());
            match random(state, 4) {
                0 => bytes.truncate(at),
                1 => drop(bytes.splice(at..(at + random(state, 20)).min(bytes.len()), [])),
                2 => drop(bytes.splice(at..at, WORDS[random(state, WORDS.len())].bytes())),
                _ => bytes.extend_from_within(at..),
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let mut state = 1;
    for _ in 0..1500 {
        let unit = unit_of(&mutate(source, &mut state), &mutate(text, &mut state));
        let (regions, diagnostics) = marked_regions(&unit);
        for region in &regions {
            let table = SymbolTable::new(&unit, region);
            let _ = table.iter().filter(|s| table.is_live_after(&s.name)).count();
            let _ = unit.macros_in(region.span);
            let _ = Region::from_statements(&unit, &region.statements);
        }
        for diagnostic in &diagnostics {
            let _ = farkas_base::render(diagnostic, false);
        }
        for_each_node(unit.root(), &mut |node| {
            assert!(unit.source().slice(unit.span(node)).len() < 1 << 20)
        });
    }
}
