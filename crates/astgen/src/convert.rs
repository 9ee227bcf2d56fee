//! From isl's AST to ours.

use crate::ast::{Block, BlockKind, Divided, For, If, LoopInfo, LoopKind, Node, User, UserKind};
use crate::expr::{Cond, Expr};
use crate::isl_expr::{cond_of, expr_of, unexpected};
use crate::lower::{BandInfo, band_of_mark};
use crate::memory::PREFIX;
use crate::sites::Calls;
use crate::values::Values;
use crate::{Error, Result};
use farkas_poly::{AstExpr, AstExprKind, AstNode, AstNodeKind, AstOp};
use farkas_scop::Scop;
use farkas_tree::Mark;
use std::collections::BTreeMap;

/// Code that takes the place of a statement of isl's.
pub(crate) struct Inside {
    /// What the code calls the statement's dimensions.
    pub(crate) coordinates: Vec<String>,
    /// The code.
    pub(crate) code: Vec<Node>,
}

/// Converts an AST of isl's.
pub(crate) struct Converter<'a> {
    pub(crate) scop: &'a Scop,
    pub(crate) bands: &'a [BandInfo],
    /// Code that statements stand for,
    pub(crate) insides: &'a [Inside],
    /// and these statements by name.
    pub(crate) calls: &'a Calls,
    /// What the loops are called, before their depth, until they get their names.
    pub(crate) prefix: &'a str,
    pub(crate) values: &'a mut Values,
    /// The values of loops with just one iteration.
    pub(crate) degenerate: BTreeMap<String, Expr>,
    /// isl's iterators of the loops around.
    pub(crate) around: Vec<String>,
}

impl Converter<'_> {
    /// The code of `node`; `band` is the number of the innermost band that surrounds it.
    pub(crate) fn nodes(&mut self, node: &AstNode, band: Option<usize>) -> Result<Vec<Node>> {
        match node.kind()? {
            AstNodeKind::Block(children) => {
                let mut nodes = Vec::new();
                for child in &children {
                    nodes.extend(self.nodes(child, band)?);
                }
                Ok(nodes)
            }
            AstNodeKind::Mark { name, node } => {
                let body = self.nodes(&node, band_of_mark(&name).or(band))?;
                let kind = match name.parse() {
                    Ok(Mark::Kernel(threads)) => BlockKind::Kernel(threads),
                    Ok(Mark::Barrier) => BlockKind::Barrier,
                    _ => return Ok(body),
                };
                Ok(vec![Node::Block(Block { kind, buffers: Vec::new(), body })])
            }
            AstNodeKind::If { condition, then, otherwise } => {
                let condition = self.cond(&condition)?;
                let then = self.nodes(&then, band)?;
                let otherwise =
                    otherwise.map(|n| self.nodes(&n, band)).transpose()?.unwrap_or_default();
                Ok(match condition.as_bool() {
                    Some(true) => then,
                    Some(false) => otherwise,
                    None => vec![Node::If(If { condition, then, otherwise })],
                })
            }
            AstNodeKind::For { iterator, init, condition, increment, is_degenerate, body } => {
                let first = self.expr(&init)?;
                let is_divided = self.info(&iterator, band, 1).divided.is_some();
                if is_degenerate && !is_divided {
                    let outer = self.degenerate.insert(iterator.clone(), first);
                    let nodes = self.nodes(&body, band);
                    self.degenerate.remove(&iterator);
                    self.degenerate.extend(outer.map(|value| (iterator, value)));
                    return nodes;
                }
                let (step, end) = if is_degenerate {
                    (1, first.offset(1))
                } else {
                    let step = self.expr(&increment)?.as_int().filter(|step| *step > 0);
                    let step = step.ok_or_else(|| unexpected("increment", &increment))?;
                    (step, self.end(&iterator, &condition)?)
                };
                let info = Box::new(self.info(&iterator, band, step));
                let (isl_name, iterator) = (iterator.clone(), self.own(&iterator));
                if first.mentions(&iterator) || end.mentions(&iterator) {
                    return Err(unexpected("bound", &init));
                }
                self.around.push(isl_name);
                let body = self.nodes(&body, band);
                self.around.pop();
                Ok(vec![Node::For(For { iterator, first, end, step, body: body?, info })])
            }
            AstNodeKind::User(call) => self.user(&call, band),
        }
    }

    /// What the loop is called that isl gave this iterator; coordinates of tiles keep their names.
    fn own(&self, iterator: &str) -> String {
        match depth(iterator) {
            Some(depth) => format!("{}{depth}", self.prefix),
            None => iterator.to_owned(),
        }
    }

    /// What is known of the loop that isl gave this iterator.
    fn info(&self, iterator: &str, band: Option<usize>, step: i64) -> LoopInfo {
        let depth = depth(iterator);
        let found = band.and_then(|number| {
            let band = &self.bands[number];
            let at = depth?.checked_sub(band.depth)? + band.n_fixed;
            Some((band, at, band.band.members.get(at)?))
        });
        let Some((band, at, member)) = found else { return LoopInfo::default() };
        let mut scale = band.scale.get(at - band.n_fixed).copied().unwrap_or(1);
        let is_wave = band.wavefront && at == 0;
        let size = band.tile.get(at).copied().filter(|_| !is_wave);
        if let Some(size) = size
            && scale == 1
            && step < size
        {
            // The member counts tiles; code is easier to read where it runs over their first points.
            scale = size;
        }
        LoopInfo {
            kind: if at == 0 { band.kind } else { LoopKind::Sequential },
            private: if at == 0 { band.private.clone() } else { Vec::new() },
            reduced: if at == 0 { band.reduced.clone() } else { Vec::new() },
            wavefront: is_wave,
            coincident: member.coincident,
            permutable: band.band.permutable,
            // Where tiles are dealt out, a loop goes over those of others.
            tile: size.map(|size| step.min(size)),
            point: band.point,
            divided: band.divided.get(at).copied(),
            separate: band.separate,
            padded: band.padded.clone(),
            member: Some((band.cursor.clone(), at)),
            scale,
            ..LoopInfo::default()
        }
    }

    /// The first value that the loop does not reach.
    fn end(&mut self, iterator: &str, condition: &AstExpr) -> Result<Expr> {
        let AstExprKind::Op(op, arguments) = condition.kind()? else {
            return Err(unexpected("loop condition", condition));
        };
        match (op, arguments.as_slice()) {
            (AstOp::And, parts) => {
                let parts: Result<Vec<Expr>> =
                    parts.iter().map(|p| self.end(iterator, p)).collect();
                Ok(Expr::min(parts?))
            }
            (AstOp::Le | AstOp::Lt, [left, right]) if left.to_string() == iterator => {
                Ok(self.expr(right)?.offset(i64::from(op == AstOp::Le)))
            }
            _ => Err(unexpected("loop condition", condition)),
        }
    }

    /// A statement instance, or the code that it stands for, in the loops of a single iteration that isl leaves out and that are divided
    /// among blocks or threads.
    fn user(&mut self, call: &AstExpr, band: Option<usize>) -> Result<Vec<Node>> {
        let AstExprKind::Op(AstOp::Call, parts) = call.kind()? else {
            return Err(unexpected("statement", call));
        };
        let Some((name, args)) = parts.split_first() else {
            return Err(unexpected("statement", call));
        };
        let name = name.to_string();
        let args: Vec<Expr> = args.iter().map(|a| self.expr(a)).collect::<Result<_>>()?;
        let nodes = self.called(&name, args.clone())?;
        self.divided_apart(nodes, (&name, &args), band)
    }

    /// What a statement stands for.
    fn called(&mut self, name: &str, args: Vec<Expr>) -> Result<Vec<Node>> {
        if let Some(inside) = self.calls.get(name).and_then(|&site| self.insides.get(site)) {
            let at = |coordinate: &str| inside.coordinates.iter().position(|c| c == coordinate);
            let by = |coordinate: &str| args.get(at(coordinate)?).cloned();
            return Ok(inside.code.iter().map(|node| node.substitute(&by)).collect());
        }
        let unknown = || Error::UnknownStatement(name.to_owned());
        let stmt = self.scop.stmt_by_name(name).ok_or_else(unknown)?;
        let values = self.values.of_instance(self.scop, stmt, &args)?;
        Ok(vec![Node::User(User { stmt, args, values, kind: UserKind::Instance })])
    }

    /// The code of an instance in those of the bands' divided loops around it that isl has no loop for, since it knows their only value: that
    /// value says which block or thread runs it. What has none of these loops around it runs on the first ones, and so does the value 0 on the
    /// first thread; blocks may count from elsewhere.
    fn divided_apart(
        &self,
        mut nodes: Vec<Node>,
        instance: (&str, &[Expr]),
        innermost: Option<usize>,
    ) -> Result<Vec<Node>> {
        let Some(innermost) = innermost.map(|number| &self.bands[number]) else { return Ok(nodes) };
        for (number, band) in self.bands.iter().enumerate().rev() {
            if band.cursor != innermost.cursor && !band.cursor.is_above(&innermost.cursor) {
                continue;
            }
            for (at, divided) in band.divided.iter().enumerate().skip(band.n_fixed).rev() {
                let isl_name = format!("{PREFIX}{}", band.depth + at - band.n_fixed);
                if at >= band.band.members.len() || self.around.contains(&isl_name) {
                    continue;
                }
                let first = band.date_at(at, instance)?;
                if first.as_int() == Some(0) && matches!(divided, Divided::Threads(_)) {
                    continue;
                }
                let info = Box::new(self.info(&isl_name, Some(number), 1));
                let (iterator, end) = (self.own(&isl_name), first.offset(1));
                nodes = vec![Node::For(For { iterator, first, end, step: 1, body: nodes, info })];
            }
        }
        Ok(nodes)
    }

    /// An integer expression.
    pub(crate) fn expr(&self, expr: &AstExpr) -> Result<Expr> {
        expr_of(expr, &|name| self.named(name))
    }

    /// A condition.
    fn cond(&self, expr: &AstExpr) -> Result<Cond> {
        cond_of(expr, &|name| self.named(name))
    }

    /// What a name of isl's stands for.
    fn named(&self, name: &str) -> Expr {
        match self.degenerate.get(name) {
            Some(value) => value.clone(),
            None if name.starts_with(PREFIX) => Expr::iterator(self.own(name)),
            None => Expr::param(name),
        }
    }
}

/// The depth of the loop with an iterator of isl's.
fn depth(iterator: &str) -> Option<usize> {
    iterator.strip_prefix(PREFIX)?.parse().ok()
}
