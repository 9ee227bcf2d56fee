//! Libraries that are none, that fail, and that ask for what makes no sense: each has its message, none does harm.

mod support;

use farkas_run::{Build, Executable};
use farkas_schedule::Warning;
use std::path::Path;
use support::{build, library, load, outcome, region, strategy};

/// The message on a library with this text.
fn refused(text: &str) -> String {
    let text = format!("#include \"farkas_strategy.h\"\n{text}");
    load(&build("cc -std=c99", Build::text("strategy.c", text))).expect_err("not a strategy")
}

/// The message on a library whose table begins with these fields.
fn refused_table(fields: &str) -> String {
    refused(&format!(
        "static int plan(void *i, const farkas_state *s, farkas_plan *p)
         {{ (void)i; (void)s; (void)p; return FARKAS_OK; }}
         static const farkas_strategy table = {{ {fields} }};
         const farkas_strategy *farkas_strategy_v1(void) {{ (void)plan; return &table; }}"
    ))
}

/// Checks what is said of a library with this `plan`.
fn check_plan(body: &str, message: &str) {
    let found = outcome(None, body).expect_err("the library fails");
    assert_eq!(found, format!("strategy test failed: LIB {message}"), "{body}");
}

/// Checks what is said of a library with this `create`.
fn check_create(body: &str, message: &str) {
    let found = outcome(Some(body), "").expect_err("the library fails");
    assert_eq!(found, format!("LIB {message}"), "{body}");
}

#[test]
fn what_is_no_strategy_is_not_loaded() {
    let no_file = farkas_capi::load_strategy(Path::new("no/such/library.so")).unwrap_err();
    assert_eq!(no_file.id.name(), "unloadable-strategy");
    assert_eq!(no_file.message, "`no/such/library.so` cannot be loaded as a strategy");
    assert!(no_file.notes[0].contains("No such file"), "{no_file:?}");
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in
        [("empty.so", &b""[..]), ("text.so", b"int x;\n"), ("elf.so", b"\x7fELF\x02\x01\x01")]
    {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("a file");
        let error = farkas_capi::load_strategy(&path).unwrap_err();
        assert!(error.message.ends_with("cannot be loaded as a strategy"), "{error:?}");
        assert!(!error.notes[0].is_empty());
    }
    let error = farkas_capi::load_strategy(folder.path()).unwrap_err();
    assert!(error.message.ends_with("cannot be loaded as a strategy"), "{error:?}");
    assert_eq!(refused("int x;"), "LIB has no symbol `farkas_strategy_v1`");
}

#[test]
fn tables_are_checked() {
    assert_eq!(
        refused("const farkas_strategy *farkas_strategy_v1(void) { return NULL; }"),
        "LIB returns no table of functions from `farkas_strategy_v1`"
    );
    for (fields, message) in [
        (
            "7, sizeof(farkas_strategy), \"x\", NULL, NULL, plan, 0",
            "is for version 7 of the interface for strategies, and this is version 1",
        ),
        (
            "1, 16, \"x\", NULL, NULL, plan, 0",
            "says that its table has 16 bytes, fewer than the 48 of version 1",
        ),
        (
            "1, sizeof(farkas_strategy), \"x\", NULL, NULL, NULL, 0",
            "has no function `plan` in its table",
        ),
        (
            "1, sizeof(farkas_strategy), NULL, NULL, NULL, plan, 0",
            "gives a bad pointer for the strategy's name",
        ),
        (
            "1, sizeof(farkas_strategy), \"*/ x\", NULL, NULL, plan, 0",
            "gives the name `*/ x` to the strategy: expected letters, digits and -_.+",
        ),
        (
            "1, sizeof(farkas_strategy), \"\", NULL, NULL, plan, 0",
            "gives the name `` to the strategy: expected letters, digits and -_.+",
        ),
        (
            "1, sizeof(farkas_strategy), \"\\xff\", NULL, NULL, plan, 0",
            "gives the strategy's name that is not UTF-8",
        ),
        (
            "1, sizeof(farkas_strategy), \"x\", NULL, NULL, plan, 64",
            "gives the number 64 for kinds of dependences for proximity",
        ),
    ] {
        assert_eq!(refused_table(fields), format!("LIB {message}"));
    }
}

#[test]
fn failures_are_told() {
    check_plan("return 3;", "returns 3 from `plan`");
    check_plan(
        "plan->fail(plan, \"no idea\\n for \\xff\"); return -1;",
        "returns -1 from `plan`: no idea  for \u{fffd}",
    );
    check_create("return 4;", "returns 4 from `create`");
    check_create("return setup->fail(setup, \"too large\");", "returns 1 from `create`: too large");
}

#[test]
fn declarations_are_checked() {
    for (body, message) in [
        (
            "setup->add_variable(setup, \"2x\", 0);",
            "gives the name `2x` to a variable: expected an identifier of C",
        ),
        (
            "setup->add_variable(setup, \"proximity\", 0);",
            "gives the name `proximity` to a variable: expected one that no cost function has",
        ),
        (
            "setup->add_variable(setup, \"x\", 0); setup->add_variable(setup, \"x\", 1);",
            "names the variable `x` twice",
        ),
        (
            "char name[] = \"a0\"; for (int i = 0; i < 1000; i++)
               { name[0] = (char)('a' + i % 26); name[1] = (char)('0' + i / 26); setup->add_variable(setup, name, 0); }",
            "gives 65 variables, more than 64",
        ),
        (
            "for (int i = 0; i < 20000; i++) setup->add_link(setup, NULL, 0);",
            "gives 10001 links, more than 10000",
        ),
        ("setup->add_variable(setup, NULL, 0);", "gives a bad pointer for the name of a variable"),
        (
            "uint32_t stmts[] = { 0, 2 }; setup->add_link(setup, stmts, 2);",
            "names statement 2, and there are 2",
        ),
        ("setup->set_line(setup, 0);", "gives the number 0 for the elements of a line"),
        (
            "setup->add_link(setup, NULL, (size_t)-1);",
            "gives 18446744073709551615 statements of a link, more than 2",
        ),
    ] {
        check_create(body, message);
    }
}

#[test]
fn costs_and_fallbacks_are_checked() {
    let costs = "proximity, flow-proximity, memory-proximity, feautrier, contiguity, bigLoopsFirst, longStridesFirst, coefficient-sums, temporal-spatial, carry-spatial";
    check_plan(
        "plan->add_cost(plan, \"latency\");",
        &format!(
            "asks for the cost function `latency`, which does not exist: expected one of {costs}"
        ),
    );
    check_plan(
        "plan->add_cost(plan, \"carry-spatial\");",
        "asks for the cost function `carry-spatial`, but `create` did not call set_line",
    );
    // What comes after does not count, nor that the library takes no notice.
    check_plan(
        "plan->add_cost(plan, \"proximity\"); plan->add_cost(plan, \"proximity\"); plan->add_cost(plan, \"latency\");",
        "names the cost function `proximity` twice",
    );
    check_plan(
        "plan->add_cost(plan, NULL);",
        "gives a bad pointer for the name of a cost function",
    );
    check_plan(
        "plan->add_cost(plan, \"\\xc3(\");",
        "gives the name of a cost function that is not UTF-8",
    );
    check_plan(
        "static char name[1000]; for (int i = 0; i < 1000; i++) name[i] = 'x'; plan->add_cost(plan, name);",
        "gives the name of a cost function that has more than 64 bytes",
    );
    check_plan(
        "const char *names[] = { \"new-band\", \"next-sibling\" }; plan->set_fallbacks(plan, names, 2);",
        "asks for the fallback `next-sibling`, which does not exist: expected one of replan, other-signs, new-band, \
         separate-components, defer-shallow, parametric-shift",
    );
    check_plan(
        "const char *names[] = { \"new-band\", \"new-band\" }; plan->set_fallbacks(plan, names, 2);",
        "names the fallback `new-band` twice",
    );
    check_plan(
        "plan->set_fallbacks(plan, NULL, 1000000);",
        "gives 1000000 names of fallbacks, more than 10",
    );
    check_plan("plan->set_fallbacks(plan, NULL, 1);", "gives a bad pointer for names of fallbacks");
}

#[test]
fn constraints_are_checked() {
    let term = |kind: &str, stmt: u32, index: u32, factor: &str| {
        format!(
            "farkas_term term = {{ {kind}, {stmt}, {index}, {factor} }};
             plan->add_constraint(plan, FARKAS_NOT_NEGATIVE, &term, 1, 0);"
        )
    };
    for (body, message) in [
        (term("FARKAS_ITERATOR", 2, 0, "1"), "names statement 2, and there are 2"),
        (term("FARKAS_ITERATOR", 0, 2, "1"), "names statement S0's iterator 2, and there are 2"),
        (term("FARKAS_PARAM", 0, 1, "1"), "names parameter 1, and there are 1"),
        (term("FARKAS_VARIABLE", 0, 0, "1"), "names variable 0, and there are 0"),
        (term("9", 0, 0, "1"), "gives the number 9 for the kind of a term"),
        (
            term("FARKAS_CONSTANT", 0, 0, "INT64_MIN"),
            "gives -9223372036854775808 as the factor of a term: expected a number from -1073741824 to 1073741824",
        ),
    ] {
        check_plan(&body, message);
    }
    check_plan(
        "plan->add_constraint(plan, 5, NULL, 0, 0);",
        "gives the number 5 for the kind of a constraint",
    );
    check_plan(
        "plan->add_constraint(plan, FARKAS_ZERO, NULL, 0, INT64_MAX);",
        "gives 9223372036854775807 as the constant of a constraint: expected a number from -1073741824 to 1073741824",
    );
    check_plan(
        "plan->add_constraint(plan, FARKAS_ZERO, NULL, (size_t)-1, 0);",
        "gives 18446744073709551615 terms of a constraint, more than 100000",
    );
    check_plan(
        "while (!plan->add_constraint(plan, FARKAS_ZERO, NULL, 0, 0)) {}",
        "gives 10001 constraints, more than 10000",
    );
    check_plan(
        "static farkas_term terms[60000];
         while (!plan->add_constraint(plan, FARKAS_ZERO, terms, 60000, 0)) {}",
        "gives 120000 terms of constraints, more than 100000",
    );
    check_plan(
        "if (state->n_group == 1) {
           farkas_term term = { FARKAS_CONSTANT, 1 - state->group[0].statement, 0, 1 };
           plan->add_constraint(plan, FARKAS_ZERO, &term, 1, 0);
         }
         plan->fusion = FARKAS_FUSE_NO;",
        "has a constraint on statement S1, which is not scheduled together with the others now",
    );
}

#[test]
fn settings_are_checked() {
    for (body, message) in [
        ("plan->fusion = 4;", "gives the number 4 for the fusion heuristic"),
        (
            "plan->max_coefficient = -1;",
            "gives -1 as the largest coefficient: expected a number from 0 to 1073741824",
        ),
        (
            "uint32_t stmts[] = { 0, 1 }; plan->add_group(plan, stmts, 2); plan->total_distribution = 1;",
            "asks for total distribution together with groups",
        ),
        (
            "plan->recompute_last = plan->ends_band = 1;",
            "asks for the last row again together with the end of its band",
        ),
        (
            "plan->recompute_last = plan->distributes = 1;",
            "asks for the last row again together with distribution",
        ),
        (
            "uint32_t stmts[] = { 0, 0 }; plan->add_group(plan, stmts, 2);",
            "names the statement `S0` twice",
        ),
        (
            "uint32_t stmts[] = { 0, 1 }; plan->add_group(plan, stmts, 2); plan->add_group(plan, stmts, 1);",
            "names the statement `S0` twice",
        ),
        (
            "uint32_t stmts[] = { 5 }; plan->add_group(plan, stmts, 1);",
            "names statement 5, and there are 2",
        ),
        ("plan->add_group(plan, NULL, 3);", "gives 3 statements of a group, more than 2"),
        ("plan->add_group(plan, NULL, 2);", "gives a bad pointer for statements of a group"),
    ] {
        check_plan(body, message);
    }
}

#[test]
fn a_library_that_failed_is_not_asked_again() {
    check_plan(
        "static int n; plan->fail(plan, n++ ? \"asked again\" : \"the first time\"); return 1;",
        "returns 1 from `plan`: the first time",
    );
}

#[test]
fn odd_plans_have_a_schedule() {
    for body in [
        "",
        "plan->add_cost(NULL, \"latency\");",
        "plan->recompute_last = 1;",
        "plan->ends_band = 1;",
        "plan->distributes = 1;",
        "plan->distributes = 1; plan->fusion = FARKAS_FUSE_MAX; plan->ends_band = 1;",
        "plan->demands_parallel = 1;",
        "plan->max_coefficient = 1073741824; plan->negative_coefficients = 1; plan->parametric_shift = 1;",
        "plan->size = 0; plan->abi_version = 9;",
        "uint32_t stmts[] = { 0, 1 }; plan->add_group(plan, stmts, 2); plan->distributes = 1;",
        "farkas_term term = { FARKAS_CONSTANT, state->group[0].statement, 0, 1073741824 };
         plan->add_constraint(plan, FARKAS_NOT_NEGATIVE, &term, 1, -1073741824);",
    ] {
        let scheduled = outcome(None, body).expect("a schedule");
        assert!(!scheduled.report.rows.is_empty(), "{body}");
    }
}

#[test]
fn what_never_ends_is_ended() {
    let again = outcome(None, "plan->recompute_last = 1;").expect("a schedule");
    let is_told = |w: &Warning| matches!(w, Warning::RecomputedTooOften { .. });
    assert!(again.report.warnings.iter().any(is_told), "{}", again.report);
    // Without a solution, with and without another plan.
    for fallbacks in ["NULL, 0", "names, 1"] {
        let body = format!(
            "const char *names[] = {{ \"replan\" }}; plan->set_fallbacks(plan, {fallbacks});
             (void)names; plan->add_constraint(plan, FARKAS_NOT_NEGATIVE, NULL, 0, -1);"
        );
        let stuck = outcome(None, &body).expect("a schedule");
        let is_told = |w: &Warning| matches!(w, Warning::OriginalOrder { .. });
        assert!(stuck.report.warnings.iter().any(is_told), "{}", stuck.report);
    }
}

#[test]
fn what_create_made_is_destroyed_once() {
    let text = "#include \"farkas_strategy.h\"
        #include <stdlib.h>
        static int n_alive;
        FARKAS_EXPORT int alive(void) { return n_alive; }
        static int create(const farkas_scop *scop, farkas_setup *setup, void **instance)
        {
            (void)scop;
            if (BAD) setup->add_variable(setup, \"no identifier\", 0);
            *instance = malloc(8);
            n_alive++;
            return FARKAS_OK;
        }
        static void destroy(void *instance) { free(instance); n_alive--; }
        static int plan(void *instance, const farkas_state *state, farkas_plan *plan)
        {
            (void)state;
            return instance ? FARKAS_OK : plan->fail(plan, \"no instance\");
        }
        const farkas_strategy *farkas_strategy_v1(void)
        {
            static const farkas_strategy table = {
                FARKAS_ABI_VERSION, sizeof(farkas_strategy), \"memory\", create, destroy, plan, 0
            };
            return &table;
        }";
    for bad in ["-DBAD=0", "-DBAD=1"] {
        let library = build("cc -std=c99", Build::text("strategy.c", text).flags([bad]));
        let region = region(support::CHAIN);
        let made = [strategy(&library, &region), strategy(&library, &region)];
        let n_made = made.iter().filter(|strategy| strategy.is_ok()).count();
        assert_eq!(n_made, if bad == "-DBAD=0" { 2 } else { 0 });
        assert_eq!(alive(&library), n_made);
        drop(made);
        assert_eq!(alive(&library), 0);
    }
}

/// How many instances of the library above live. The library stays loaded, so that the count is that of all the test.
fn alive(library: &Executable) -> usize {
    // SAFETY: the library is ours, and the function has this type.
    unsafe {
        let library = libloading::Library::new(library.path()).expect("it loads");
        let alive = library.get::<unsafe extern "C" fn() -> i32>("alive").expect("the function");
        let n = alive();
        std::mem::forget(library);
        usize::try_from(n).expect("a count")
    }
}

#[test]
fn libraries_without_create_have_no_instance() {
    let library = library(None, "if (instance) return 1;");
    let region = region(support::CHAIN);
    let mut strategy = strategy(&library, &region).expect("a strategy");
    support::scheduled(&region.1, &mut strategy).expect("a schedule");
}
