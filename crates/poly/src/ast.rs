//! AST generation.

use crate::context::Context;
use crate::object::{Object, c_string, kept_string};
use crate::{IslSchedule, PwAff, Result, Set, Val};
use farkas_isl_sys as sys;

/// Options of AST generation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct AstOptions {
    /// One upper bound per loop instead of a conjunction.
    pub atomic_upper_bound: bool,
    /// Use what outer loops guarantee to simplify inner ones.
    pub exploit_nested_bounds: bool,
    /// Print `min` and `max` as such.
    pub detect_min_max: bool,
    /// Allow `else`.
    pub allow_else: bool,
    /// Allow disjunctions in conditions.
    pub allow_or: bool,
    /// Keep strided loops' iterators as they are scheduled.
    pub scale_strides: bool,
    /// Keep what one iteration of a loop runs in one loop, where it might also stand in a loop of its own behind it.
    pub group_coscheduled: bool,
}

impl Default for AstOptions {
    fn default() -> Self {
        Self {
            atomic_upper_bound: true,
            exploit_nested_bounds: true,
            detect_min_max: true,
            allow_else: true,
            allow_or: true,
            scale_strides: false,
            group_coscheduled: false,
        }
    }
}

/// How the loop of a band member is generated where statements' ranges differ.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum AstLoopType {
    /// isl's choice.
    #[default]
    Default,
    /// One loop, with guards inside.
    Atomic,
    /// All iterations written out.
    Unroll,
    /// A loop for each range in which the same statements run.
    Separate,
}

impl AstLoopType {
    /// isl's word for it in AST build options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Atomic => "atomic",
            Self::Unroll => "unroll",
            Self::Separate => "separate",
        }
    }
}

isl_object!(
    /// The state of AST generation.
    AstBuild, isl_ast_build, isl_ast_build_copy, isl_ast_build_free
);

isl_methods! { AstBuild {
    /// Generation in the knowledge that the parameters lie in `context`.
    from from_context(context: &Set) -> AstBuild = isl_ast_build_from_context;
} }

impl AstBuild {
    /// The code of a schedule; loop iterators are called `{prefix}0`, `{prefix}1`, … by depth.
    ///
    /// # Errors
    /// When isl refuses or its quota is reached.
    pub fn node_from_schedule(
        &self,
        schedule: &IslSchedule,
        prefix: &str,
        options: AstOptions,
    ) -> Result<AstNode> {
        let ctx = self.context.as_ptr();
        // SAFETY: options belong to the live context; the id list and the schedule are taken.
        let raw = unsafe {
            sys::isl_options_set_ast_build_atomic_upper_bound(
                ctx,
                options.atomic_upper_bound.into(),
            );
            sys::isl_options_set_ast_build_exploit_nested_bounds(
                ctx,
                options.exploit_nested_bounds.into(),
            );
            sys::isl_options_set_ast_build_detect_min_max(ctx, options.detect_min_max.into());
            sys::isl_options_set_ast_build_allow_else(ctx, options.allow_else.into());
            sys::isl_options_set_ast_build_allow_or(ctx, options.allow_or.into());
            sys::isl_options_set_ast_build_scale_strides(ctx, options.scale_strides.into());
            sys::isl_options_set_ast_build_group_coscheduled(ctx, options.group_coscheduled.into());
            let build = sys::isl_ast_build_set_iterators(self.take(), iterators(ctx, prefix));
            let raw = sys::isl_ast_build_node_from_schedule(build, schedule.take());
            sys::isl_ast_build_free(build);
            raw
        };
        AstNode::give(&self.context, raw)
    }

    /// The condition that the parameters lie in `set`.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn expr_from_set(&self, set: &Set) -> Result<AstExpr> {
        // SAFETY: the build is kept, the set taken.
        AstExpr::give(&self.context, unsafe {
            sys::isl_ast_build_expr_from_set(self.keep(), set.take())
        })
    }

    /// The value of a piecewise expression of the parameters.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn expr_from_pw_aff(&self, value: &PwAff) -> Result<AstExpr> {
        // SAFETY: the build is kept, the expression taken.
        AstExpr::give(&self.context, unsafe {
            sys::isl_ast_build_expr_from_pw_aff(self.keep(), value.take())
        })
    }
}

/// Names for loops down to a depth that no program reaches; deeper ones get isl's names.
unsafe fn iterators(ctx: *mut sys::isl_ctx, prefix: &str) -> *mut sys::isl_id_list {
    const DEPTH: i32 = 128;
    // SAFETY: each id is handed to the list.
    unsafe {
        let mut list = sys::isl_id_list_alloc(ctx, DEPTH);
        for i in 0..DEPTH {
            let name = c_string(&format!("{prefix}{i}"));
            list = sys::isl_id_list_add(
                list,
                sys::isl_id_alloc(ctx, name.as_ptr(), std::ptr::null_mut()),
            );
        }
        list
    }
}

isl_object!(
    /// A node of generated code; prints as C.
    AstNode, isl_ast_node, isl_ast_node_copy, isl_ast_node_free, to_str isl_ast_node_to_C_str
);

/// What a node of generated code is.
#[derive(Clone, Debug)]
pub enum AstNodeKind {
    /// A loop.
    For {
        /// The iterator's name.
        iterator: String,
        /// First value.
        init: AstExpr,
        /// Condition to go on.
        condition: AstExpr,
        /// Step.
        increment: AstExpr,
        /// Whether there is exactly one iteration, with the value `init`.
        is_degenerate: bool,
        /// The body.
        body: AstNode,
    },
    /// A guard.
    If {
        /// The condition.
        condition: AstExpr,
        /// When it holds.
        then: AstNode,
        /// When it does not.
        otherwise: Option<AstNode>,
    },
    /// A list.
    Block(Vec<AstNode>),
    /// What a mark of the schedule tree covers.
    Mark {
        /// The mark's name.
        name: String,
        /// What it covers.
        node: AstNode,
    },
    /// A statement instance: a call with the statement's name and its iterators' values.
    User(AstExpr),
}

impl AstNode {
    /// The node taken apart.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn kind(&self) -> Result<AstNodeKind> {
        let context = &self.context;
        let expr = |raw| AstExpr::give(context, raw);
        let node = |raw| Self::give(context, raw);
        // SAFETY: each getter keeps the node and gives what is wrapped at once.
        unsafe {
            let raw = self.keep();
            Ok(match sys::isl_ast_node_get_type(raw) {
                1 => AstNodeKind::For {
                    iterator: expr(sys::isl_ast_node_for_get_iterator(raw))?.to_string(),
                    init: expr(sys::isl_ast_node_for_get_init(raw))?,
                    is_degenerate: sys::isl_ast_node_for_is_degenerate(raw) > 0,
                    condition: expr(sys::isl_ast_node_for_get_cond(raw))?,
                    increment: expr(sys::isl_ast_node_for_get_inc(raw))?,
                    body: node(sys::isl_ast_node_for_get_body(raw))?,
                },
                2 => AstNodeKind::If {
                    condition: expr(sys::isl_ast_node_if_get_cond(raw))?,
                    then: node(sys::isl_ast_node_if_get_then_node(raw))?,
                    otherwise: if sys::isl_ast_node_if_has_else_node(raw) > 0 {
                        Some(node(sys::isl_ast_node_if_get_else_node(raw))?)
                    } else {
                        None
                    },
                },
                3 => AstNodeKind::Block(self.block_children()?),
                4 => {
                    let id = sys::isl_ast_node_mark_get_id(raw);
                    let name = kept_string(sys::isl_id_get_name(id)).unwrap_or_default();
                    sys::isl_id_free(id);
                    AstNodeKind::Mark { name, node: node(sys::isl_ast_node_mark_get_node(raw))? }
                }
                5 => AstNodeKind::User(expr(sys::isl_ast_node_user_get_expr(raw))?),
                _ => return Err(context.take_error()),
            })
        }
    }

    /// The children of a block.
    fn block_children(&self) -> Result<Vec<Self>> {
        // SAFETY: the list is freed after its elements were copied out.
        unsafe {
            let list = sys::isl_ast_node_block_get_children(self.keep());
            let n = sys::isl_ast_node_list_n_ast_node(list);
            let children = (0..n)
                .map(|i| Self::give(&self.context, sys::isl_ast_node_list_get_ast_node(list, i)))
                .collect();
            sys::isl_ast_node_list_free(list);
            children
        }
    }
}

isl_object!(
    /// An expression of generated code; prints as C.
    AstExpr, isl_ast_expr, isl_ast_expr_copy, isl_ast_expr_free, to_str isl_ast_expr_to_C_str
);

/// The operators of generated code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AstOp {
    /// Conjunction (also the short-circuit form).
    And,
    /// Disjunction (also the short-circuit form).
    Or,
    /// Maximum of all arguments.
    Max,
    /// Minimum of all arguments.
    Min,
    /// Negation.
    Minus,
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Exact division.
    Div,
    /// Division rounded down.
    FdivQ,
    /// Division of a non-negative dividend.
    PdivQ,
    /// Remainder of a non-negative dividend.
    PdivR,
    /// Remainder that is only compared with zero.
    ZdivR,
    /// `a ? b : c`, short-circuit or not.
    Select,
    /// Equal.
    Eq,
    /// Less or equal.
    Le,
    /// Less.
    Lt,
    /// Greater or equal.
    Ge,
    /// Greater.
    Gt,
    /// A call: the function, then the arguments.
    Call,
    /// An array element: the array, then the subscripts.
    Access,
}

/// What an expression of generated code is.
#[derive(Clone, Debug)]
pub enum AstExprKind {
    /// An operation.
    Op(AstOp, Vec<AstExpr>),
    /// A name.
    Name(String),
    /// An integer.
    Int(Val),
}

impl AstExpr {
    /// The expression taken apart.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn kind(&self) -> Result<AstExprKind> {
        // SAFETY: getters keep the expression and give what is wrapped or freed at once.
        unsafe {
            let raw = self.keep();
            Ok(match sys::isl_ast_expr_get_type(raw) {
                0 => AstExprKind::Op(self.op()?, self.arguments()?),
                1 => {
                    let id = sys::isl_ast_expr_id_get_id(raw);
                    let name = kept_string(sys::isl_id_get_name(id)).unwrap_or_default();
                    sys::isl_id_free(id);
                    AstExprKind::Name(name)
                }
                2 => {
                    AstExprKind::Int(Val::give(&self.context, sys::isl_ast_expr_int_get_val(raw))?)
                }
                _ => return Err(self.context.take_error()),
            })
        }
    }

    /// The operator of an operation.
    fn op(&self) -> Result<AstOp> {
        use AstOp::{
            Access, Add, And, Call, Div, Eq, FdivQ, Ge, Gt, Le, Lt, Max, Min, Minus, Mul, Or,
            PdivQ, PdivR, Select, Sub, ZdivR,
        };
        /// In the order of isl's enumeration.
        const OPS: [AstOp; 25] = [
            And, And, Or, Or, Max, Min, Minus, Add, Sub, Mul, Div, FdivQ, PdivQ, PdivR, ZdivR,
            Select, Select, Eq, Le, Lt, Ge, Gt, Call, Access, Access,
        ];
        // SAFETY: the call only reads.
        let op = unsafe { sys::isl_ast_expr_op_get_type(self.keep()) };
        usize::try_from(op)
            .ok()
            .and_then(|i| OPS.get(i).copied())
            .ok_or_else(|| self.context.take_error())
    }

    /// The arguments of an operation.
    fn arguments(&self) -> Result<Vec<Self>> {
        // SAFETY: getters keep the expression.
        unsafe {
            let n = sys::isl_ast_expr_op_get_n_arg(self.keep());
            (0..n)
                .map(|i| Self::give(&self.context, sys::isl_ast_expr_op_get_arg(self.keep(), i)))
                .collect()
        }
    }
}

/// Generation without knowledge of the parameters.
impl AstBuild {
    /// Generation for all parameter values.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn unconstrained() -> Result<Self> {
        let context = Context::current();
        // SAFETY: plain allocation.
        Self::give(&context, unsafe { sys::isl_ast_build_alloc(context.as_ptr()) })
    }
}
