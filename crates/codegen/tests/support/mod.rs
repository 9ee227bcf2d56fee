//! Small scops built by hand.
#![allow(missing_docs, unreachable_pub, dead_code, reason = "shared by several test programs")]

use farkas_base::{Id, IdVec};
use farkas_scop::{
    Access, AccessId, AccessKind, Array, ArrayId, ArrayScope, AssignOp, BinaryOp, BodyStmt,
    ElementKind, ElementType, Expr, Iterator, ParamId, Parameter, Scop, ScopBuilder, Statement,
};
use std::process::Command;

/// A scop in the making.
pub struct Kernel {
    builder: ScopBuilder,
}

/// The type `double`.
pub fn double() -> ElementType {
    ElementType { text: "double".into(), kind: ElementKind::Double }
}

/// An iterator's value: position.
pub fn it(position: u32) -> Expr {
    Expr::Iterator(position)
}

/// A binary operation.
pub fn bin(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new(a), Box::new(b))
}

/// A statement in the making.
pub struct Stmt {
    stmt: Statement,
}

impl Kernel {
    pub fn new(params: &[(&str, &str)], context: &str) -> Self {
        let mut builder = ScopBuilder::new("kernel").unwrap();
        for (name, ty) in params {
            builder.params.push(Parameter::new(*name, *ty));
        }
        builder.context = context.parse().unwrap();
        Self { builder }
    }

    pub fn array(&mut self, name: &str, rank: usize) -> ArrayId {
        self.builder.arrays.push(Array {
            name: name.into(),
            source_name: name.into(),
            element: double(),
            extents: vec![None; rank],
            scope: ArrayScope::Parameter,
            is_live_in: true,
            is_live_out: true,
            declaration: None,
            reduction: None,
            span: None,
        })
    }

    pub fn local_scalar(&mut self, name: &str) -> ArrayId {
        let id = self.array(name, 0);
        let array = &mut self.builder.arrays[id];
        array.scope = ArrayScope::Region;
        array.is_live_out = false;
        array.declaration = Some(format!("double {name};"));
        id
    }

    /// A variable that loops declare.
    pub fn variable(&mut self, name: &str) -> ArrayId {
        let id = self.local_scalar(name);
        let array = &mut self.builder.arrays[id];
        (array.scope, array.declaration) = (ArrayScope::Buffer, None);
        id
    }

    pub fn push(&mut self, stmt: Stmt) {
        self.builder.stmts.push(stmt.stmt);
    }

    pub fn array_name(&self, array: ArrayId) -> String {
        self.builder.arrays[array].name.clone()
    }

    pub fn build(self) -> Scop {
        self.builder.build().unwrap()
    }
}

impl Stmt {
    /// Iterators are dimensions themselves unless [`Stmt::iterator`] changes them.
    pub fn new(domain: &str, iterators: &[&str], date: &str) -> Self {
        let domain: farkas_poly::Set = domain.parse().unwrap();
        let name = domain.tuple_name().unwrap();
        let dims = iterators.join(", ");
        let iterators = iterators
            .iter()
            .map(|i| Iterator {
                name: (*i).into(),
                ty: "int".into(),
                value: format!("{{ {name}[{dims}] -> [({i})] }}").parse().unwrap(),
            })
            .collect();
        Self {
            stmt: Statement {
                name,
                label: None,
                domain,
                iterators,
                date: date.parse().unwrap(),
                accesses: IdVec::new(),
                body: Vec::new(),
                span: None,
            },
        }
    }

    pub fn iterator(mut self, position: usize, ty: &str, value: &str) -> Self {
        self.stmt.iterators[position].ty = ty.into();
        self.stmt.iterators[position].value = value.parse().unwrap();
        self
    }

    pub fn label(mut self, label: &str) -> Self {
        self.stmt.label = Some(label.into());
        self
    }

    /// An access; its relation is not what these tests are about.
    pub fn access(
        &mut self,
        kernel: &Kernel,
        array: ArrayId,
        kind: AccessKind,
        subscripts: Vec<Expr>,
    ) -> AccessId {
        let dims: Vec<String> = (0..self.stmt.depth()).map(|i| format!("d{i}")).collect();
        let outs: Vec<String> =
            (0..kernel.builder.arrays[array].rank()).map(|i| format!("a{i}")).collect();
        let name = kernel.array_name(array);
        let relation =
            format!("{{ {}[{}] -> {name}[{}] }}", self.stmt.name, dims.join(", "), outs.join(", "));
        self.stmt.accesses.push(Access {
            array,
            kind,
            relation: relation.parse().unwrap(),
            subscripts,
            span: None,
        })
    }

    pub fn read(&mut self, kernel: &Kernel, array: ArrayId, subscripts: Vec<Expr>) -> Expr {
        Expr::Access(self.access(kernel, array, AccessKind::Read, subscripts))
    }

    pub fn assign(
        &mut self,
        kernel: &Kernel,
        array: ArrayId,
        subscripts: Vec<Expr>,
        op: AssignOp,
        value: Expr,
    ) {
        let target = self.access(kernel, array, AccessKind::MustWrite, subscripts.clone());
        let read =
            (op != AssignOp::Set).then(|| self.access(kernel, array, AccessKind::Read, subscripts));
        self.stmt.body.push(BodyStmt::Assign { target, op, read, value });
    }

    pub fn body(&mut self, stmt: BodyStmt) {
        self.stmt.body.push(stmt);
    }
}

/// A parameter's value.
pub fn param(position: usize) -> Expr {
    Expr::Param(ParamId::from_index(position))
}

/// `C[i][j] *= beta; C[i][j] += alpha * A[i][k] * B[k][j]`.
pub fn gemm() -> Scop {
    let mut k = Kernel::new(
        &[("ni", "int"), ("nj", "int"), ("nk", "int")],
        "[ni, nj, nk] -> { : ni >= 1 and nj >= 1 and nk >= 1 }",
    );
    let (c, a, b) = (k.array("C", 2), k.array("A", 2), k.array("B", 2));
    let (alpha, beta) = (k.array("alpha", 0), k.array("beta", 0));
    let mut s0 = Stmt::new(
        "[ni, nj] -> { S0[i, j] : 0 <= i < ni and 0 <= j < nj }",
        &["i", "j"],
        "{ S0[i, j] -> [0, i, 0, j, 0, 0] }",
    );
    let value = s0.read(&k, beta, vec![]);
    s0.assign(&k, c, vec![it(0), it(1)], AssignOp::Compound(BinaryOp::Mul), value);
    k.push(s0);
    let mut s1 = Stmt::new(
        "[ni, nj, nk] -> { S1[i, k, j] : 0 <= i < ni and 0 <= j < nj and 0 <= k < nk }",
        &["i", "k", "j"],
        "{ S1[i, k, j] -> [0, i, 1, k, 0, j] }",
    );
    let (x, y, z) = (
        s1.read(&k, alpha, vec![]),
        s1.read(&k, a, vec![it(0), it(1)]),
        s1.read(&k, b, vec![it(1), it(2)]),
    );
    let value = bin(BinaryOp::Mul, bin(BinaryOp::Mul, x, y), z);
    s1.assign(&k, c, vec![it(0), it(2)], AssignOp::Compound(BinaryOp::Add), value);
    k.push(s1);
    k.build()
}

/// Compiles `text` as C and links it with mathematics; panics with the compiler's words.
pub fn compile_and_run(text: &str, flags: &[&str]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let (source, program) = (dir.path().join("t.c"), dir.path().join("t"));
    std::fs::write(&source, text).unwrap();
    let output = Command::new("cc")
        .args(["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror"])
        .args(flags)
        .arg("-o")
        .args([&program, &source])
        .arg("-lm")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
    let run = Command::new(&program).output().unwrap();
    assert!(run.status.success(), "the program failed:\n{text}");
    String::from_utf8(run.stdout).unwrap()
}

/// Compiles `text` as C with all compilers there are; panics with the compiler's words.
pub fn check_warnings(text: &str, flag: &str) {
    let dir = tempfile::tempdir().unwrap();
    let (source, object) = (dir.path().join("t.c"), dir.path().join("t.o"));
    std::fs::write(&source, text).unwrap();
    for compiler in ["cc", "clang"] {
        let mut command = Command::new(compiler);
        command.args(["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", flag, "-c", "-o"]);
        let Ok(output) = command.args([&object, &source]).output() else { continue };
        assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
    }
}
