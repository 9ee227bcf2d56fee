//! Statements that become several: what the parts are, that they compute the same, and what the check has against others.

mod common;

use farkas::show::{Stage, StageResult, show};
use farkas::{Error, Input, Optimized, Options, ReadOptions, normalizing, optimize, read};
use farkas_base::SourceFile;
use farkas_config::RecipeFile;
use farkas_deps::legality::check_division;
use farkas_deps::{Verdict, legality};
use farkas_interp::Params;
use farkas_poly::DimType;
use farkas_scop::{AccessKind, ArrayScope, AssignOp, BinaryOp, BodyStmt, Expr, Scop, ScopBuilder};
use farkas_steps::{Divide, Step, Subject};
use farkas_tree::Program;
use std::sync::Arc;

/// A file with one region in a function of `n`, whose loop over `i` has this body.
fn file(body: &str) -> Input {
    let text = format!(
        "double a[64], b[64], x[64], y[64]; int c[64], k[64]; float f[64]; double fabs(double);\n\
         void g(int n) {{\n#pragma scop\nfor (int i = 0; i < n; i++) {{ {body} }}\n#pragma endscop\n}}\n"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("f.c");
    std::fs::write(&path, &text).expect("written");
    let input = read(&path, &ReadOptions::default()).expect("a readable program");
    assert!(!input.has_errors() && input.regions.len() == 1, "{text}\n{:?}", input.diagnostics);
    input
}

/// The program after the division of a statement, or why it is not divided.
fn divided(scop: &Scop, stmt: &str) -> Result<Program, String> {
    let program = Program::original(scop).expect("an order");
    let step = Step::Divide(Divide { stmt: stmt.to_owned() });
    step.apply(&Subject { program: &program, deps: None }).map_err(|error| error.to_string())
}

/// What the check has against the parts of the first statement after a change.
fn reason(body: &str, change: impl Fn(&mut ScopBuilder)) -> String {
    let input = file(body);
    let scop = &input.regions[0].scop;
    let program = divided(scop, "S0").expect("parts");
    let mut builder = program.scop.to_builder();
    change(&mut builder);
    let changed = Program { scop: builder.build().expect("a scop"), ..program };
    match check_division(scop, &changed).expect("a verdict") {
        Verdict::Legal => "legal".to_owned(),
        Verdict::Illegal(found) => found.to_string(),
    }
}

/// How many statements the region has once it was divided as far as that helps, which computes the same in its normal form, and how
/// many nests there are then.
fn check(body: &str) -> (usize, usize) {
    let input = file(body);
    let region = &input.regions[0];
    let options = normalizing(Options::default()).expect("options");
    let optimized = optimize(region, &options).expect("a legal result");
    let params = Params::new([("n".to_owned(), 7)]);
    common::regions_agree(region, &optimized, &params).unwrap_or_else(|e| panic!("{body}: {e}"));
    // The original stands beside the loops, for want of memory.
    let code = optimized.code.split("} else {").next().unwrap_or_default();
    let n_nests = code.matches("for (").count();
    (optimized.scop.stmts().len(), n_nests)
}

/// Two elements by way of a temporary.
const TWO: &str = "double t = x[i] - y[i]; a[i] = t * t; b[i] = t + 1;";

#[test]
fn each_assignment_is_a_part() {
    let input = file(TWO);
    let program = divided(&input.regions[0].scop, "S0").expect("parts");
    let names: Vec<&str> = program.scop.stmts().iter().map(|stmt| stmt.name.as_str()).collect();
    assert_eq!(names, ["S0_0", "S0_1", "S0_2"]);
    let variables: Vec<_> =
        program.scop.arrays().iter().filter(|a| a.scope == ArrayScope::Region).collect();
    assert_eq!(variables.len(), 1);
    assert_eq!(variables[0].declaration.as_deref(), Some("double t;"));
    assert!(program.scop.stmts().iter().all(|stmt| stmt.body.len() == 1));
}

#[test]
fn parts_compute_the_same_in_loops_of_their_own() {
    assert_eq!(check(TWO), (3, 3));
    // What one part uses alone stays in it.
    let inner =
        "double t = x[i]; if (t > 0) { double u = t * 2; a[i] = u; b[i] = u + t; } y[i] = t;";
    assert_eq!(check(inner), (3, 3));
    // Set twice, and by a condition.
    let twice = "double t = x[i]; a[i] = t; t = y[i]; if (c[i]) t = t * 2; b[i] = t;";
    assert_eq!(check(twice), (5, 5));
    // Integers, conversions, elements that data chooses.
    let types = "int t = x[i] * 8; float u = t / 3; a[i] = u; k[i] = t & 7; f[i] = u + t;";
    assert_eq!(check(types), (5, 5));
    let chosen =
        "int at = c[i] & 7; double t = x[i]; if (c[i] > 3) t = 1; a[i] = y[at] * t; b[i] = t;";
    assert_eq!(check(chosen), (5, 5));
    // Two variables of one name.
    let twins = "double s = x[i]; { double t = y[i] + s; a[i] = t * t; } { float t = s; b[i] = t * s; y[i] = t; }";
    assert_eq!(check(twins).0, 6);
}

#[test]
fn what_sets_one_element_stays() {
    assert_eq!(check("double t = x[i] - y[i]; double u = t * t; a[i] = u + t;"), (1, 1));
}

#[test]
fn what_waits_for_the_iteration_before_stays_together() {
    // What computes b is in a cycle, from one iteration to the next; y is not, which reads t.
    let carried = "double t = b[i]; a[i] = t + x[i]; y[i] = t * 2; b[i + 1] = a[i] * t;";
    assert_eq!(check(carried), (4, 2));
}

#[test]
fn variables_without_places_keep_a_statement_whole() {
    // A loop within the iteration sets what comes later.
    let (n_stmts, n_nests) =
        check("double t = x[i]; while (t > 1) t = t / 2; a[i] = t; b[i] = t + 1;");
    assert_eq!((n_stmts, n_nests), (1, 1));
}

#[test]
fn statements_that_have_no_parts_are_refused() {
    let input = file("a[i] = x[i];");
    let scop = &input.regions[0].scop;
    assert_eq!(divided(scop, "S0").unwrap_err(), "`S0` stays one statement: it is one part");
    assert_eq!(divided(scop, "S1").unwrap_err(), "there is no statement `S1`");
}

#[test]
fn other_parts_are_illegal() {
    assert_eq!(reason(TWO, |_| {}), "legal");
    let body = "its body is not that of the original";
    // Another value.
    let found = reason(TWO, |builder| {
        for stmt in builder.stmts.iter_mut().filter(|stmt| stmt.name == "S0_2") {
            if let [BodyStmt::Assign { value: Expr::Binary(op, ..), .. }] = &mut stmt.body[..] {
                *op = BinaryOp::Sub;
            }
        }
    });
    assert!(found.contains(body), "{found}");
    // Parts in another order.
    let found = reason(TWO, |builder| {
        let stmts: Vec<_> = builder.stmts.iter().cloned().collect();
        builder.stmts = [1, 0, 2].into_iter().map(|at: usize| stmts[at].clone()).collect();
    });
    assert!(found.contains("it has other dates"), "{found}");
    // One is missing.
    let found = reason(TWO, |builder| {
        builder.stmts = builder.stmts.iter().filter(|s| s.name != "S0_2").cloned().collect();
    });
    assert!(found.contains(body), "{found}");
    // Fewer instances.
    let found = reason(TWO, |builder| {
        for stmt in builder.stmts.iter_mut().filter(|stmt| stmt.name == "S0_1") {
            let domain = stmt.domain.lower_bound_si(DimType::SET, 0, 1).expect("a domain");
            stmt.domain = domain;
        }
    });
    assert!(found.contains("its instances are not those"), "{found}");
    // What a part says of its accesses is not what it does.
    let found = reason(TWO, |builder| {
        for stmt in builder.stmts.iter_mut().filter(|stmt| stmt.name == "S0_0") {
            for access in stmt.accesses.iter_mut().filter(|access| access.kind.is_write()) {
                access.kind = AccessKind::MayWrite;
            }
        }
    });
    assert!(found.contains(body), "{found}");
    // The variable is one that code after the region reads.
    let found = reason(TWO, |builder| {
        for array in builder.arrays.iter_mut().filter(|a| a.scope == ArrayScope::Region) {
            array.is_live_out = true;
        }
    });
    assert!(found.contains("no array of the program's own"), "{found}");
    // The variable has another type.
    let found = reason(TWO, |builder| {
        for array in builder.arrays.iter_mut().filter(|a| a.scope == ArrayScope::Region) {
            array.element.text = "float".to_owned();
            array.element.kind = farkas_scop::ElementKind::Float;
        }
    });
    assert!(found.contains(body), "{found}");
}

#[test]
fn conditions_of_values_keep_their_types() {
    let body = "float t = 1; if (c[i] > 0) t = x[i]; a[i] = t; b[i] = t * 2;";
    assert_eq!(reason(body, |_| {}), "legal");
    // Without the conversion, the other value would be one of doubles: the same here, but not of all types.
    let found = reason(body, |builder| {
        for stmt in builder.stmts.iter_mut() {
            if let [BodyStmt::Assign { op: AssignOp::Set, value: Expr::Ternary(_, then, _), .. }] =
                &mut stmt.body[..]
                && let Expr::Cast(_, inner) = then.as_ref()
            {
                let inner = inner.clone();
                *then = inner;
            }
        }
    });
    assert!(found.contains("its body is not that of the original"), "{found}");
}

#[test]
fn expanded_parts_are_judged_as_any_program() {
    let input = file(TWO);
    let region = &input.regions[0];
    let options = normalizing(Options::default()).expect("options");
    let optimized = optimize(region, &options).expect("a legal result");
    let storage = optimized.storage.clone().expect("places for values");
    let program = optimized.program();
    assert!(legality::check_program(&storage, &program).expect("a verdict").is_legal());
    // Against the region itself they are statements that it does not have.
    assert!(!legality::check_program(&region.scop, &program).expect("a verdict").is_legal());
}

/// The text of a function's region whose statements are divided, in its normal form.
fn text(parameters: &str, body: &str) -> String {
    let text = format!("void f({parameters})\n{{\n{body}\n}}\n");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("f.c");
    std::fs::write(&path, &text).expect("written");
    let mut reading = ReadOptions::default();
    reading.front.auto = true;
    let input = read(&path, &reading).expect("a readable program");
    assert!(!input.has_errors() && input.regions.len() == 1, "{text}\n{:?}", input.diagnostics);
    let options = Options { divide: true, ..Options::default() };
    let shown = show(&input.regions[0], Stage::NormalForm, &options).expect("a normal form");
    let StageResult::NormalForm(form) = shown.result else { panic!("a normal form") };
    form.whole.text
}

/// Temporaries of an iteration, the same as arrays that the function has to itself in one loop nest or in several, of other layout, too.
#[test]
fn temporaries_and_arrays_of_them_have_one_normal_form() {
    let given = "int n, int m, double x[restrict n][m], double y[restrict n][m], const double p[restrict n][m]";
    let scalars = "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {
        double t = p[i][j] * 2, u = t / 3;
        x[i][j] = x[i][j] * t + u;
        y[i][j] = u - t;
    }";
    let spellings = [
        "double t, u; for (int j = 0; j < m; j++) for (int i = 0; i < n; i++) {
            t = p[i][j] * 2; u = t / 3; x[i][j] = x[i][j] * t + u; y[i][j] = u - t; }",
        "double t[n][m], u[n][m]; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {
            t[i][j] = p[i][j] * 2; u[i][j] = t[i][j] / 3;
            x[i][j] = x[i][j] * t[i][j] + u[i][j]; y[i][j] = u[i][j] - t[i][j]; }",
        "double t[n][m], u[n][m + 3];
         for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) t[i][j] = p[i][j] * 2;
         for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) u[i][j] = t[i][j] / 3;
         for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) y[i][j] = u[i][j] - t[i][j];
         for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) x[i][j] = x[i][j] * t[i][j] + u[i][j];",
        "double t[m], u[m]; for (int i = 0; i < n; i++) {
         for (int j = 0; j < m; j++) t[j] = p[i][j] * 2;
         for (int j = 0; j < m; j++) u[j] = t[j] / 3;
         for (int j = 0; j < m; j++) y[i][j] = u[j] - t[j];
         for (int j = 0; j < m; j++) x[i][j] = x[i][j] * t[j] + u[j]; }",
    ];
    let expected = text(given, scalars);
    assert!(expected.matches("for ").count() >= 8, "{expected}");
    for spelling in spellings {
        assert_eq!(text(given, spelling), expected, "{spelling}");
    }
}

/// The result of a recipe whose order is the program's own.
fn by_recipe(input: &Input, steps: &str) -> Result<Optimized, String> {
    let text = format!("{{ \"recipe\": {{ \"name\": \"mine\", \"steps\": [{steps}] }} }}");
    let recipe = RecipeFile::parse(Arc::new(SourceFile::new("mine", text)));
    let recipe = recipe.map_err(|d| d[0].message.clone())?;
    let options = Options::default().of_file(&input.source).with_recipe(Arc::new(recipe));
    let options = options.expect("options");
    let result = optimize(&input.regions[0], &options);
    result.map_err(|error| match error {
        Error::Refused(diagnostics) => diagnostics[0].message.clone(),
        other => other.to_string(),
    })
}

#[test]
fn parts_have_loops_of_their_own_in_strips() {
    let steps = |size: u32| {
        format!(
            r#"{{ "plan": "divide" }}, {{ "step": "schedule", "strategy": "original" }},
               {{ "plan": "part-strips", "size": {size} }}, {{ "plan": "vectors" }}"#
        )
    };
    let bodies = [
        TWO,
        "double t = x[i]; a[i] = t; t = y[i]; if (c[i]) t = t * 2; b[i] = t;",
        "int t = x[i] * 8; float u = t / 3; a[i] = u; k[i] = t & 7; f[i] = u + t;",
    ];
    for (body, n) in bodies.into_iter().zip([3, 5, 5]) {
        let input = file(body);
        for (size, sizes) in [(4, 7), (8, 7), (4, 8)] {
            let result = by_recipe(&input, &steps(size)).expect("a legal result");
            let region = &input.regions[0];
            let params = Params::new([("n".to_owned(), sizes)]);
            common::regions_agree(region, &result, &params).unwrap_or_else(|e| panic!("{e}"));
            assert!(result.code.contains(&format!("_lanes[{size}]")), "{}", result.code);
            assert_eq!(result.code.matches("for (").count(), n + 1, "{}", result.code);
        }
    }
    // An element of the iteration before keeps the loop in order.
    let carried =
        "double t = x[i]; if (i > 0) { t = t + (int) t; } a[i] = t; b[i] = a[(i * 7) % 64] + t;";
    let result = by_recipe(&file(carried), &steps(4)).expect("a legal result");
    assert!(!result.code.contains("_lanes"), "{}", result.code);
}

#[test]
fn steps_that_come_too_late_or_are_for_others_are_refused() {
    let refusal = |body: &str, steps: &str| by_recipe(&file(body), steps).err();
    let late = r#"{ "step": "reverse", "loop": "S0.1" }, { "step": "divide", "stmt": "S0" }"#;
    let found = refusal(TWO, late).expect("a refusal");
    assert_eq!(found, "step `divide` comes after the order to begin with");
    let late = r#"{ "step": "reverse", "loop": "S0.1" }, { "plan": "divide" }"#;
    let found = refusal(TWO, late).expect("a refusal");
    assert_eq!(found, "planner `divide` comes after the order to begin with");
    let found = refusal("a[i] = x[i];", r#"{ "step": "divide", "stmt": "S0" }"#);
    let expected = "step `divide` does not apply to `g`: `S0` stays one statement: it is one part";
    assert_eq!(found.as_deref(), Some(expected));
    // Later steps name the parts, and no longer the whole.
    let parts = r#"{ "step": "divide", "stmt": "S0" }, { "step": "expand", "array": "t" },
                   { "step": "distribute", "loop": "S0_1.1" }"#;
    assert_eq!(refusal(TWO, parts), None);
    let whole = r#"{ "step": "divide", "stmt": "S0" }, { "step": "distribute", "loop": "S0.1" }"#;
    assert!(refusal(TWO, whole).is_some());
    // Without places for the values of t, loops do not come apart.
    let tied = r#"{ "step": "divide", "stmt": "S0" }, { "step": "distribute", "loop": "S0_1.1" }"#;
    let found = refusal(TWO, tied).expect("a refusal");
    assert!(found.contains("changes what `g` computes"), "{found}");
}
