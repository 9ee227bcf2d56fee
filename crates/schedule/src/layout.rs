//! The columns of the integer programs.

use crate::Result;
use crate::affine::{StmtRow, narrow};
use crate::coefficient::Coefficient;
use crate::node::{Node, NodeIdx, NodeMember};
use farkas_base::{Id, IdVec};
use farkas_scop::{ParamId, StmtId};
use farkas_solve::{Row, VarIdx};

/// The names of a cost function's own variables, all of them non-negative integers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CostVariables {
    /// The cost itself, minimised in this order, after that of the cost functions before and before that of those after.
    pub leading: Vec<String>,
    /// Variables that are minimised after the cost of all functions.
    pub trailing: Vec<String>,
}

/// What a column stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Column {
    /// A variable of a cost function.
    Cost {
        /// The cost function's position in the plan.
        function: usize,
        /// The variable's name within it.
        name: String,
    },
    /// A coefficient of a node, or a part of it.
    Coefficient {
        /// The node: a statement, or a cluster that moves as a whole. Its iterators are the dimensions of its space.
        node: NodeIdx,
        /// Which.
        which: Coefficient,
        /// Whether the column is what is subtracted: the coefficient is the difference of two columns.
        is_negative: bool,
    },
}

/// Which coefficients a plan allows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Signs {
    /// Whether rows may use parameters.
    pub(crate) has_params: bool,
    /// Whether coefficients of iterators may be negative.
    pub(crate) is_signed: bool,
}

/// Columns with factors: what makes up a coefficient.
type Terms = Vec<(VarIdx, i64)>;

/// What makes up each coefficient of a row.
#[derive(Clone, Debug)]
struct RowTerms {
    iterators: Vec<Terms>,
    params: Vec<Terms>,
    constant: Terms,
}

impl RowTerms {
    /// What makes up one coefficient; nothing for one that there is not.
    fn of(&self, which: Coefficient) -> &[(VarIdx, i64)] {
        let terms = match which {
            Coefficient::Iterator(i) => self.iterators.get(i),
            Coefficient::Param(p) => self.params.get(p.index()),
            Coefficient::Constant => Some(&self.constant),
        };
        terms.map_or(&[], Vec::as_slice)
    }

    /// What makes up the rows of a statement with this basis, from those of its node.
    fn composed(&self, member: &NodeMember) -> Self {
        let combined = |which: Coefficient, own: &[(VarIdx, i64)]| {
            let of_dim = |(dim, row): (&Terms, &StmtRow)| {
                let factor = row.coefficient(which);
                let used = dim.iter().filter(|_| factor != 0);
                used.map(|(column, sign)| (*column, sign * factor)).collect::<Terms>()
            };
            self.iterators
                .iter()
                .zip(&member.basis)
                .flat_map(of_dim)
                .chain(own.iter().copied())
                .collect()
        };
        let param =
            |(p, own): (usize, &Terms)| combined(Coefficient::Param(ParamId::from_index(p)), own);
        Self {
            iterators: (0..member.n_iterators)
                .map(|i| combined(Coefficient::Iterator(i), &[]))
                .collect(),
            params: self.params.iter().enumerate().map(param).collect(),
            constant: combined(Coefficient::Constant, &self.constant),
        }
    }
}

/// Which column is what. All columns are non-negative; a column further left is minimised first.
///
/// **Shapes** the leading variables of each cost function in the order of the plan; the trailing ones likewise; then for
/// each node, by its first statement: the coefficients of the parameters (where the plan allows them), those of the
/// iterators from the innermost to the outermost (so that of two equal rows the one with the outer loop wins), the
/// constant. Where the plan allows negative coefficients, that of an iterator is the difference of two columns, the
/// negative part first. A node is a statement, or a cluster of statements that moves as a whole, whose iterators are the
/// members of the band of the cluster: a coefficient of a statement there is a sum of columns.
#[derive(Clone, Debug)]
pub struct IlpLayout {
    columns: IdVec<VarIdx, Column>,
    /// How many leading variables each cost function has.
    n_leading: Vec<usize>,
    /// The own variables of each cost function: leading ones, then trailing ones.
    own: Vec<Vec<VarIdx>>,
    /// The statements of each node, and what makes up its row.
    nodes: IdVec<NodeIdx, (Vec<StmtId>, RowTerms)>,
    /// The statements, ascending.
    stmts: Vec<(StmtId, RowTerms)>,
    n_params: usize,
}

impl IlpLayout {
    /// The layout for these nodes.
    pub(crate) fn new(
        costs: &[CostVariables],
        nodes: &[Node],
        n_params: usize,
        signs: Signs,
    ) -> Self {
        let mut columns = IdVec::new();
        let mut own = vec![Vec::new(); costs.len()];
        let mut push_own = |names: fn(&CostVariables) -> &Vec<String>| {
            for (function, cost) in costs.iter().enumerate() {
                for name in names(cost) {
                    let column = Column::Cost { function, name: name.clone() };
                    own[function].push(columns.push(column));
                }
            }
        };
        push_own(|cost| &cost.leading);
        push_own(|cost| &cost.trailing);
        let n_leading = costs.iter().map(|cost| cost.leading.len()).collect();
        let mut layout =
            Self { columns, n_leading, own, nodes: IdVec::new(), stmts: Vec::new(), n_params };
        nodes.iter().for_each(|node| layout.push(node, signs));
        layout.stmts.sort_unstable_by_key(|(stmt, _)| *stmt);
        layout
    }

    /// Adds the columns of a node.
    fn push(&mut self, node: &Node, Signs { has_params, is_signed }: Signs) {
        let id = NodeIdx::from_index(self.nodes.len());
        let columns = &mut self.columns;
        let mut column =
            |which, is_negative| columns.push(Column::Coefficient { node: id, which, is_negative });
        let param = |p: usize| Coefficient::Param(ParamId::from_index(p));
        let params: Vec<Terms> = (0..self.n_params)
            .map(|p| if has_params { vec![(column(param(p), false), 1)] } else { Vec::new() })
            .collect();
        let mut iterators = vec![Terms::new(); node.n_dims()];
        for (dim, terms) in iterators.iter_mut().enumerate().rev() {
            let which = Coefficient::Iterator(dim);
            terms.extend(is_signed.then(|| (column(which, true), -1)));
            terms.push((column(which, false), 1));
        }
        let constant = vec![(column(Coefficient::Constant, false), 1)];
        let terms = RowTerms { iterators, params, constant };
        let members = node.members.iter().map(|member| (member.stmt, terms.composed(member)));
        self.stmts.extend(members);
        let stmts = node.members.iter().map(|member| member.stmt);
        self.nodes.push((stmts.collect(), terms));
    }

    /// The columns.
    pub fn columns(&self) -> &IdVec<VarIdx, Column> {
        &self.columns
    }

    /// The leading columns of a cost function: its part of the cost vector.
    pub fn leading_of(&self, function: usize) -> impl Iterator<Item = VarIdx> {
        self.own[function].iter().copied().take(self.n_leading[function])
    }

    /// The variables of a cost function: leading ones, then trailing ones, in its own order.
    pub fn own(&self, function: usize) -> &[VarIdx] {
        &self.own[function]
    }

    /// The statements, ascending.
    pub fn stmts(&self) -> impl ExactSizeIterator<Item = StmtId> {
        self.stmts.iter().map(|s| s.0)
    }

    /// Number of iterators of a statement; zero for one that is not in the problem.
    pub fn n_iterators(&self, stmt: StmtId) -> usize {
        self.row_of(stmt).map_or(0, |row| row.iterators.len())
    }

    /// Number of parameters of the scop.
    pub fn n_params(&self) -> usize {
        self.n_params
    }

    /// The columns that make up a coefficient of a statement, with their factors: none for one that is always zero.
    pub fn terms(&self, stmt: StmtId, which: Coefficient) -> impl Iterator<Item = (VarIdx, i64)> {
        self.row_of(stmt).map_or(&[][..], |row| row.of(which)).iter().copied()
    }

    /// The columns that make up the coefficient of a dimension of a node's space, with their signs.
    pub(crate) fn node_terms(&self, node: NodeIdx, dim: usize) -> &[(VarIdx, i64)] {
        self.nodes[node].1.of(Coefficient::Iterator(dim))
    }

    /// The coefficients of the dimensions of each node's space at a point.
    pub(crate) fn node_rows(&self, point: &IdVec<VarIdx, i64>) -> Vec<Vec<i64>> {
        let value = |terms: &Terms| terms.iter().map(|&(column, sign)| sign * point[column]).sum();
        let row = |(_, row): &(Vec<StmtId>, RowTerms)| row.iterators.iter().map(value).collect();
        self.nodes.iter().map(row).collect()
    }

    /// What makes up the row of a statement.
    fn row_of(&self, stmt: StmtId) -> Option<&RowTerms> {
        let at = self.stmts.binary_search_by_key(&stmt, |s| s.0).ok()?;
        Some(&self.stmts[at].1)
    }

    /// Adds `factor` times a coefficient to `row`.
    pub fn add(&self, row: &mut Row, stmt: StmtId, which: Coefficient, factor: i64) {
        self.terms(stmt, which).for_each(|(column, part)| row.add_product(column, part, factor));
    }

    /// Adds `factor` times the magnitude of a coefficient to `row`; more than that where parts of both signs are not
    /// zero: no minimum has both parts of one coefficient, but a cluster's row may have coefficients that make up for one
    /// another in a statement's.
    pub fn add_magnitude(&self, row: &mut Row, stmt: StmtId, which: Coefficient, factor: i64) {
        let terms = self.terms(stmt, which);
        terms.for_each(|(column, part)| row.add_product(column, part.saturating_abs(), factor));
    }

    /// The value of a coefficient at a point.
    ///
    /// # Errors
    /// When it does not fit `i64`.
    pub(crate) fn value(
        &self,
        point: &IdVec<VarIdx, i64>,
        stmt: StmtId,
        which: Coefficient,
    ) -> Result<i64> {
        let product = |(column, part)| i128::from(part) * i128::from(point[column]);
        let value: i128 = self.terms(stmt, which).map(product).sum();
        Ok(narrow(value)?)
    }

    /// A readable name for a column, for LP text and reports.
    pub fn name(&self, column: VarIdx) -> String {
        match &self.columns[column] {
            Column::Cost { name, .. } => name.clone(),
            Column::Coefficient { node, which, is_negative } => {
                let stmts = self.nodes[*node].0.iter().map(StmtId::to_string);
                let node = stmts.collect::<Vec<_>>().join("+");
                let minus = if *is_negative { "-" } else { "" };
                match which {
                    Coefficient::Iterator(i) => format!("{node}_it{minus}_{i}"),
                    Coefficient::Param(p) => format!("{node}_par_{}", p.index()),
                    Coefficient::Constant => format!("{node}_cst"),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Coefficient, IlpLayout, Signs};
    use crate::affine::StmtRow;
    use crate::coalescing::LoopSizes;
    use crate::node::{Node, NodeMember};
    use crate::span::Span;
    use farkas_base::{Id, IdVec};
    use farkas_scop::{ParamId, StmtId};
    use farkas_solve::Row;

    /// `S0[i, j]` alone, and a cluster of `S1[i]` at `(i + n, 2)` and `S2[i, j]` at `(j, i - j - 1)`.
    fn nodes() -> Vec<Node> {
        let row = |iterators: &[i64], param: i64, constant: i64| StmtRow {
            iterators: iterators.to_vec(),
            params: vec![param],
            constant,
        };
        let member = |stmt: usize, basis: [StmtRow; 2]| NodeMember {
            stmt: StmtId::from_index(stmt),
            n_iterators: basis[0].iterators.len(),
            basis: basis.to_vec(),
        };
        let one = member(1, [row(&[1], 1, 0), row(&[0], 0, 2)]);
        let other = member(2, [row(&[0, 1], 0, 0), row(&[1, -1], 0, -1)]);
        let (span, sizes) = (Span::new(2), LoopSizes::unknown(2));
        let alone = Node::of_stmt(StmtId::from_index(0), span.clone(), 1, &sizes);
        vec![alone, Node { members: vec![one, other], span, sizes }]
    }

    /// The columns of a coefficient by name.
    fn terms(layout: &IlpLayout, stmt: usize, which: Coefficient) -> String {
        let mut row = Row::new();
        layout.add(&mut row, StmtId::from_index(stmt), which, 1);
        let term = |&(column, factor)| format!("{factor} {}", layout.name(column));
        row.terms().iter().map(term).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn coefficients_in_a_cluster_are_sums_of_its_columns() {
        let signs = Signs { has_params: true, is_signed: false };
        let layout = IlpLayout::new(&[], &nodes(), 1, signs);
        let param = Coefficient::Param(ParamId::from_index(0));
        for (stmt, which, expected) in [
            (0, Coefficient::Iterator(1), "1 S0_it_1"),
            (0, param, "1 S0_par_0"),
            (0, Coefficient::Constant, "1 S0_cst"),
            (1, Coefficient::Iterator(0), "1 S1+S2_it_0"),
            (1, Coefficient::Iterator(1), ""),
            (1, param, "1 S1+S2_par_0, 1 S1+S2_it_0"),
            (1, Coefficient::Constant, "2 S1+S2_it_1, 1 S1+S2_cst"),
            (2, Coefficient::Iterator(0), "1 S1+S2_it_1"),
            (2, Coefficient::Iterator(1), "-1 S1+S2_it_1, 1 S1+S2_it_0"),
            (2, Coefficient::Constant, "-1 S1+S2_it_1, 1 S1+S2_cst"),
        ] {
            assert_eq!(terms(&layout, stmt, which), expected, "S{stmt} {which:?}");
        }
    }

    #[test]
    fn signed_coefficients_have_two_columns_each() {
        let signs = Signs { has_params: false, is_signed: true };
        let layout = IlpLayout::new(&[], &nodes(), 1, signs);
        let expected = "1 S1+S2_it-_1, -1 S1+S2_it_1, -1 S1+S2_it-_0, 1 S1+S2_it_0";
        assert_eq!(terms(&layout, 2, Coefficient::Iterator(1)), expected);
        let param = Coefficient::Param(ParamId::from_index(0));
        assert_eq!(terms(&layout, 1, param), "-1 S1+S2_it-_0, 1 S1+S2_it_0");
        // Columns in their order: S0's, then the cluster's.
        let point: IdVec<_, i64> = (1..=layout.columns().len()).map(|at| at as i64 * 10).collect();
        assert_eq!(layout.node_rows(&point), [[10, 10], [10, 10]]);
        let value = layout.value(&point, StmtId::from_index(2), Coefficient::Constant);
        assert_eq!(value.unwrap(), 100 - 10);
        let huge: IdVec<_, i64> = point.iter().map(|_| i64::MAX).collect();
        let sum = layout.value(&huge, StmtId::from_index(1), Coefficient::Constant);
        assert_eq!(sum.unwrap(), i64::MAX);
    }
}
