//! Results as graphs for Graphviz.

use super::{Shown, StageResult};
use crate::Input;
use farkas_astgen::{Ast, BlockKind, Node as AstNode};
use farkas_base::{Id, SourceFile};
use farkas_deps::{
    DependenceKind, Dependences, Locality, Reduction, ReductionUpdate, Reuse, Selected,
};
use farkas_scop::{ArrayId, Scop, Statement};
use farkas_tree::{Node as TreeNode, ScheduleTree};
use std::fmt::Write;

/// One graph, each region a cluster.
pub(super) fn graph(input: &Input, shown: &[Shown<'_>]) -> String {
    let mut dot = Dot { text: String::new(), n_nodes: 0 };
    let _ = writeln!(dot.text, "digraph farkas {{");
    let _ = writeln!(dot.text, "  node [shape=box, fontname=\"monospace\"];");
    for (i, part) in shown.iter().enumerate() {
        let scop = &part.region.scop;
        let _ = writeln!(dot.text, "  subgraph cluster_{i} {{");
        let _ = writeln!(dot.text, "    label={};", quoted(scop.name()));
        match &part.result {
            StageResult::Scop => dot.scop(&input.source, scop),
            StageResult::Deps(deps) => dot.dependences(&input.source, scop, deps),
            StageResult::Reductions(found, selected) => {
                dot.reductions(&input.source, scop, (found, selected));
            }
            StageResult::NormalForm(form) => {
                form.nests.iter().for_each(|nest| drop(dot.node(&nest.text, "")));
            }
            StageResult::Mapping(doc) => {
                for kernel in &doc.kernels {
                    dot.node(&format!("{}: {}", kernel.name, kernel.statements.join(", ")), "");
                }
            }
            StageResult::Locality(locality) => dot.locality(&input.source, scop, locality),
            StageResult::Tree(tree) => drop(dot.tree(tree)),
            StageResult::Ast(program, ast, _) => drop(dot.ast(&program.scop, ast)),
        }
        let _ = writeln!(dot.text, "  }}");
    }
    dot.text.push_str("}\n");
    dot.text
}

/// The graph so far.
struct Dot {
    text: String,
    n_nodes: usize,
}

impl Dot {
    /// A new node with this label and these further attributes; its name.
    fn node(&mut self, label: &str, attributes: &str) -> String {
        let name = format!("n{}", self.n_nodes);
        self.n_nodes += 1;
        let _ = writeln!(self.text, "    {name} [label={}{attributes}];", quoted(label));
        name
    }

    /// An edge.
    fn edge(&mut self, from: &str, to: &str, attributes: &str) {
        let _ = writeln!(self.text, "    {from} -> {to}{attributes};");
    }

    /// A node for each statement; their names.
    fn statements(&mut self, source: &SourceFile, scop: &Scop) -> Vec<String> {
        scop.stmts().iter().map(|s| self.node(&statement_label(source, s), "")).collect()
    }

    /// Statements, and the arrays that they update.
    fn reductions(
        &mut self,
        source: &SourceFile,
        scop: &Scop,
        (found, selected): (&[Reduction], &[Selected]),
    ) {
        let stmts = self.statements(source, scop);
        let name = |array: ArrayId| scop.arrays()[array].source_name.as_str();
        let mut edges: Vec<(String, &[ReductionUpdate])> = Vec::new();
        for reduction in found {
            let label = format!("{} into {}", reduction.operator, name(reduction.array));
            edges.push((label, &reduction.updates));
        }
        for one in selected {
            let label = format!("{} into {}", one.which, name(one.array));
            edges.push((label, std::slice::from_ref(&one.update)));
        }
        for (label, updates) in edges {
            let array = self.node(&label, ", shape=ellipse");
            for update in updates {
                let form = quoted(&format!("{} {}", update.form(), update.pattern()));
                self.edge(&stmts[update.stmt.index()], &array, &format!(" [label={form}]"));
            }
        }
    }

    /// Statements and the arrays that they read and write.
    fn scop(&mut self, source: &SourceFile, scop: &Scop) {
        let stmts = self.statements(source, scop);
        let label = |a: &farkas_scop::Array| {
            format!("{}{}: {}", a.source_name, "[]".repeat(a.rank()), a.element.text)
        };
        let arrays: Vec<String> =
            scop.arrays().iter().map(|a| self.node(&label(a), ", shape=ellipse")).collect();
        for (stmt, node) in scop.stmts().iter().zip(&stmts) {
            for access in &stmt.accesses {
                let array = &arrays[access.array.index()];
                let relation = quoted(&access.relation.to_string());
                if access.kind.is_write() {
                    self.edge(node, array, &format!(" [color=red, tooltip={relation}]"));
                } else {
                    self.edge(array, node, &format!(" [tooltip={relation}]"));
                }
            }
        }
    }

    /// Statements and the dependences between them.
    fn dependences(&mut self, source: &SourceFile, scop: &Scop, deps: &Dependences) {
        let stmts = self.statements(source, scop);
        for dep in &deps.deps {
            let array = scop.stmts()[dep.source].accesses[dep.source_access].array;
            let mut label = format!("{} {}", dep.kind.name(), scop.arrays()[array].source_name);
            if let Some(distance) = &dep.distance {
                let distance: Vec<String> = distance.iter().map(i64::to_string).collect();
                let _ = write!(label, " ({})", distance.join(","));
            }
            let style = match dep.kind {
                DependenceKind::Flow => "color=black",
                DependenceKind::Anti => "color=blue, style=dashed",
                DependenceKind::Output => "color=red, style=dashed",
                DependenceKind::Input => "color=grey, style=dotted",
            };
            let attributes = format!(
                " [label={}, {style}, tooltip={}]",
                quoted(&label),
                quoted(&dep.relation.to_string())
            );
            self.edge(&stmts[dep.source.index()], &stmts[dep.sink.index()], &attributes);
        }
    }

    /// Statements and the reuse between them.
    fn locality(&mut self, source: &SourceFile, scop: &Scop, locality: &Locality) {
        let stmts = self.statements(source, scop);
        for relation in &locality.relations {
            let label =
                format!("{} {}", relation.reuse.name(), scop.arrays()[relation.array].source_name);
            let style = match relation.reuse {
                Reuse::Temporal => "color=black",
                Reuse::Spatial => "color=darkgreen, style=dashed",
            };
            let attributes = format!(
                " [label={}, {style}, tooltip={}]",
                quoted(&label),
                quoted(&relation.pairs.to_string())
            );
            self.edge(&stmts[relation.source.index()], &stmts[relation.sink.index()], &attributes);
        }
    }

    /// A schedule tree; the name of its root.
    fn tree(&mut self, tree: &ScheduleTree) -> String {
        let label = match tree.node() {
            TreeNode::Domain { domain, .. } => format!("domain\n{domain}"),
            TreeNode::Context { context, .. } => format!("context\n{context}"),
            TreeNode::Filter { filter, .. } => format!("filter\n{filter}"),
            TreeNode::Guard { guard, .. } => format!("guard\n{guard}"),
            TreeNode::Extension { extension, .. } => format!("extension\n{extension}"),
            TreeNode::Expansion { expansion, .. } => format!("expansion\n{expansion}"),
            TreeNode::Mark { mark, .. } => format!("mark {mark}"),
            TreeNode::Band { band, .. } => {
                let mut label = String::from("band");
                if band.permutable {
                    label.push_str(" (permutable)");
                }
                for member in &band.members {
                    let coincident = if member.coincident { " coincident" } else { "" };
                    let _ = write!(label, "\n{}{coincident}", member.schedule);
                }
                label
            }
            TreeNode::Sequence(_) | TreeNode::Set(_) | TreeNode::Leaf => tree.kind().to_owned(),
        };
        let node = self.node(&label, "");
        for child in tree.children() {
            let child = self.tree(child);
            self.edge(&node, &child, "");
        }
        node
    }

    /// Loops; the name of the root.
    fn ast(&mut self, scop: &Scop, ast: &Ast) -> String {
        let root = self.node(scop.name(), ", shape=plaintext");
        self.ast_nodes(scop, &root, &ast.body, "");
        root
    }

    /// Pieces of code under `parent`.
    fn ast_nodes(&mut self, scop: &Scop, parent: &str, nodes: &[AstNode], edge: &str) {
        for piece in nodes {
            match piece {
                AstNode::For(piece) => {
                    let relation = if piece.step > 0 { '<' } else { '>' };
                    let label = format!(
                        "for {i} = {}; {i} {relation} {}; {i} += {}{}",
                        piece.first,
                        piece.end,
                        piece.step,
                        piece.info,
                        i = piece.iterator
                    );
                    let node = self.node(&label, "");
                    self.edge(parent, &node, edge);
                    self.ast_nodes(scop, &node, &piece.body, "");
                }
                AstNode::If(piece) => {
                    let node = self.node(&format!("if {}", piece.condition), ", shape=diamond");
                    self.edge(parent, &node, edge);
                    self.ast_nodes(scop, &node, &piece.then, "");
                    self.ast_nodes(scop, &node, &piece.otherwise, " [label=\"else\"]");
                }
                AstNode::Block(piece) => {
                    let label = match piece.kind {
                        BlockKind::Kernel([x, y, z]) => format!("kernel {x} x {y} x {z}"),
                        BlockKind::Barrier => "barrier".to_owned(),
                    };
                    let node = self.node(&label, "");
                    self.edge(parent, &node, edge);
                    self.ast_nodes(scop, &node, &piece.body, "");
                }
                AstNode::User(user) => {
                    let args: Vec<String> = user.args.iter().map(ToString::to_string).collect();
                    let name = &scop.stmts()[user.stmt].name;
                    let node = self.node(&format!("{name}({})", args.join(", ")), "");
                    self.edge(parent, &node, edge);
                }
            }
        }
    }
}

/// Name, line and text of a statement.
fn statement_label(source: &SourceFile, stmt: &Statement) -> String {
    match stmt.span {
        Some(span) => {
            let text: Vec<&str> = source.slice(span).split_whitespace().collect();
            format!("{} (line {})\n{}", stmt.name, source.line(span), text.join(" "))
        }
        None => stmt.name.clone(),
    }
}

/// A text as Graphviz quotes it; its lines are set flush left.
fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    let line_end = if text.contains('\n') { "\\l" } else { "" };
    format!("\"{}{line_end}\"", text.replace('\n', "\\l"))
}
