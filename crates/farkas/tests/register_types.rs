//! Register tiles for every arithmetic type: which products have them, what is said of the others, and that results are the same.

mod common;

use common::regions_agree;
use farkas::{Optimized, Options, ReadOptions, Template, optimize, read};
use farkas_interp::Params;
use farkas_run::{Build, Compiler, Exit, RunOptions};
use farkas_scop::ArrayScope;
use std::path::Path;

/// A product whose operands and sums have these types, with these sizes: rows, columns, products of a sum. `b` has these subscripts.
fn product(operand: &str, sum: &str, [rows, columns, depth]: [u32; 3], b: &str) -> String {
    let most = columns.max(depth);
    format!(
        "#include <stdio.h>
typedef {operand} operand;
typedef {sum} sum;
operand a[{rows}][{depth}], b[{most}][{most}];
sum c[{rows}][{columns}];
int main(void) {{
  for (int i = 0; i < {rows}; i++)
    for (int k = 0; k < {depth}; k++)
      a[i][k] = (i * 7 + k * 3) % 5 - 2;
  for (int i = 0; i < {most}; i++)
    for (int k = 0; k < {most}; k++)
      b[i][k] = (i * 5 + k * 11) % 7 - 3;
#pragma scop
  for (int i = 0; i < {rows}; i++)
    for (int j = 0; j < {columns}; j++)
      for (int k = 0; k < {depth}; k++)
        c[i][j] += a[i][k] * {b};
#pragma endscop
  for (int i = 0; i < {rows}; i++)
    for (int j = 0; j < {columns}; j++)
      printf(\"%g\\n\", (double)c[i][j]);
  return 0;
}}
"
    )
}

/// What register tiles make of the product in a file.
fn tiled(path: &Path) -> Optimized {
    let input = read(path, &ReadOptions::default()).expect("C");
    let template = Template::default().with_register_tiles();
    let region = &input.regions[0];
    let optimized = optimize(region, &Options { template, ..Options::default() });
    let optimized = optimized.expect("a legal result");
    regions_agree(region, &optimized, &Params::new(Vec::<(String, i64)>::new()))
        .unwrap_or_else(|error| panic!("{error}"));
    optimized
}

/// What is said of the register tiles of a product, from the loops on.
fn told(operand: &str, sum: &str, sizes: [u32; 3], b: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("product.c");
    std::fs::write(&path, product(operand, sum, sizes, b)).expect("a file");
    let optimized = tiled(&path);
    let has_buffers = optimized.scop.arrays().iter().any(|a| a.scope == ArrayScope::Buffer);
    let remark = optimized.remarks.iter().find(|remark| remark.pass == "register");
    let text = remark.map_or_else(String::new, |remark| remark.text.clone());
    assert_eq!(has_buffers, text.starts_with("register tiles"), "{operand} {sum}: {text}");
    let input = read(&path, &ReadOptions::default()).expect("C");
    let code = farkas::splice(&input.source, &[(input.regions[0].span, optimized.code)]);
    assert_eq!(
        printed(&folder, "original", &product(operand, sum, sizes, b)),
        printed(&folder, "result", &code)
    );
    text
}

/// What a program prints, compiled so that signed numbers that overflow end it.
fn printed(folder: &tempfile::TempDir, name: &str, text: &str) -> String {
    let compiler: Compiler =
        "gcc -O1 -fsanitize=undefined -fno-sanitize-recover=undefined -fopenmp"
            .parse()
            .expect("a command");
    let file = folder.path().join(format!("{name}.c"));
    let build = Build::text(file.display().to_string(), text);
    let program = compiler.compile(&build).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let run = program.run(&RunOptions::default()).expect("a run");
    assert_eq!(run.exit, Exit::Code(0), "{name}: {:?}", run.stderr);
    run.stdout
}

/// The sizes leave partial tiles in all directions.
const ODD: [u32; 3] = [19, 61, 29];

#[test]
fn products_of_all_types_have_register_tiles() {
    for (operand, sum) in [
        ("double", "double"),
        ("float", "float"),
        ("int", "int"),
        ("unsigned", "unsigned"),
        ("long", "long"),
        ("unsigned long", "unsigned long"),
        ("short", "short"),
        ("signed char", "int"),
    ] {
        let text = told(operand, sum, ODD, "b[k][j]");
        assert!(text.starts_with("register tiles of "), "{operand} {sum}: {text}");
        assert!(text.ends_with("2 operands packed"), "{operand} {sum}: {text}");
    }
}

#[test]
fn what_has_none_is_told_why() {
    let none = |operand: &str, sum: &str, sizes, b: &str| {
        let text = told(operand, sum, sizes, b);
        text.strip_prefix("no register tiles: ").map(str::to_owned).unwrap_or(text)
    };
    assert_eq!(
        none("signed char", "signed char", ODD, "b[k][j]"),
        "no vector arithmetic on its type"
    );
    let narrow =
        "both operands are narrow and lie along k, where vectors sum up several products a lane";
    assert_eq!(none("signed char", "int", ODD, "b[j][k]"), narrow);
    assert_eq!(none("short", "int", ODD, "b[j][k]"), narrow);
    assert_eq!(none("float", "double", ODD, "b[k][j]"), "each product is converted");
    assert_eq!(none("int", "long", ODD, "b[k][j]"), "each product is converted");
    assert!(told("int", "int", ODD, "b[j][k]").starts_with("register tiles of "));
    assert_eq!(none("double", "double", [50, 2, 50], "b[k][j]"), "j has too few iterations");
    assert_eq!(none("double", "double", [50, 50, 3], "b[k][j]"), "k has too few iterations");
}

/// What runs beyond instances must be defined whatever it reads: floating-point numbers, and unsigned ones, which wrap.
#[test]
fn only_what_cannot_overflow_is_padded() {
    let is_padded = |operand: &str, sum: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("product.c");
        std::fs::write(&path, product(operand, sum, ODD, "b[k][j]")).expect("a file");
        tiled(&path).ast.to_string().contains("[padded]")
    };
    for (operand, sum) in [("float", "float"), ("unsigned", "unsigned"), ("size_t", "size_t")] {
        assert!(is_padded(operand, sum), "{operand} {sum}");
    }
    for (operand, sum) in [("int", "int"), ("short", "short"), ("unsigned char", "unsigned")] {
        assert!(!is_padded(operand, sum), "{operand} {sum}");
    }
}

#[test]
fn tiles_are_no_larger_than_short_loops() {
    let narrow = told("float", "float", [40, 7, 30], "b[k][j]");
    assert!(narrow.starts_with("register tiles of 8 i by 8 j"), "{narrow}");
    let low = told("double", "double", [2, 60, 30], "b[k][j]");
    assert!(low.starts_with("register tiles of 2 i by "), "{low}");
}
