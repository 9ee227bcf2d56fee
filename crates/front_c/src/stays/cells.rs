//! Whether what the host touches may be a cell of a variable that stays on the device.

use crate::Options;
use crate::source::{BaseType, CType, Layer, ScopeKind, Symbol, SymbolTable};

/// The cells that a variable leads to.
pub(super) struct Cells<'u> {
    pub(super) symbol: Symbol<'u>,
    pub(super) table: SymbolTable<'u>,
    /// Whether it is an object, and no pointer.
    pub(super) is_object: bool,
    /// Whether nobody but the function, by this name, can touch them.
    pub(super) is_hidden: bool,
    /// Whether it is a pointer that the caller gave and that never changes.
    is_from_caller: bool,
    /// Whether what is stored as one type may change what is declared with another.
    types_mix: bool,
}

impl<'u> Cells<'u> {
    /// Those of a variable, as a region sees it by whose end all pointers to it are known that matter.
    pub(super) fn of(symbol: &Symbol<'u>, table: SymbolTable<'u>, options: &Options) -> Self {
        let layers = &symbol.ctype.layers;
        let is_parameter = symbol.scope == ScopeKind::Parameter;
        let is_object = is_declared_object(symbol);
        let is_hidden = is_object && is_own(symbol) && !table.is_address_known(&symbol.name);
        let is_from_caller = is_parameter && !layers.is_empty() && table.is_set_once(symbol);
        let types_mix = options.no_strict_aliasing;
        Self { symbol: symbol.clone(), table, is_object, is_hidden, is_from_caller, types_mix }
    }

    /// The same, as another function sees the file.
    pub(super) fn seen_by(&self, table: SymbolTable<'u>) -> Self {
        Self { symbol: self.symbol.clone(), table, ..*self }
    }

    /// Whether a variable is this one.
    pub(super) fn is(&self, other: &Symbol<'u>) -> bool {
        other.identifier == self.symbol.identifier
    }

    /// Whether the object that another variable is may have cells in common with these.
    pub(super) fn may_share(&self, other: &Symbol<'u>) -> bool {
        if self.is_object {
            return self.is(other);
        }
        let is_single = other.ctype.layers.iter().all(|l| matches!(l, Layer::Pointer(_)));
        let is_unseen = is_single && !self.table.is_named_behind_and(other);
        let is_nobodys = is_own(other) && (self.is_from_caller || is_unseen);
        // What the file keeps to itself, and nothing points to.
        let is_private = other.scope == ScopeKind::Global && other.storage.is_static && is_unseen;
        !(is_nobodys || is_private || self.differs_in_type(other))
    }

    /// Whether C forbids to access what is declared as another variable as these cells are.
    fn differs_in_type(&self, other: &Symbol<'u>) -> bool {
        use BaseType::{Bool, Integer, Other, Record, Void};
        let (mine, base) = (&self.symbol.ctype.base, &other.ctype.base);
        let is_untyped = |base: &BaseType| {
            matches!(base, Void | Bool | Record(_) | Other(_) | Integer { bits: 8, .. })
        };
        if self.types_mix || is_untyped(mine) {
            return false;
        }
        // A pointer is no number.
        if matches!(other.ctype.layers.last(), Some(Layer::Pointer(_))) {
            return true;
        }
        match (mine, base) {
            (_, base) if is_untyped(base) => false,
            (BaseType::Enum(_), Integer { .. }) | (Integer { .. }, BaseType::Enum(_)) => false,
            (Integer { bits, .. }, Integer { bits: others, .. }) => bits != others,
            (mine, base) => mine != base,
        }
    }
}

/// Whether a variable is an object: a number, a pointer, a struct, or an array of such, and no parameter that is a pointer really.
pub(super) fn is_declared_object(symbol: &Symbol<'_>) -> bool {
    let CType { layers, .. } = &symbol.ctype;
    let is_parameter = symbol.scope == ScopeKind::Parameter;
    layers.is_empty()
        || !is_parameter && layers.iter().all(|layer| matches!(layer, Layer::Array { .. }))
}

/// Whether a variable lives no longer than a call of the function.
fn is_own(symbol: &Symbol<'_>) -> bool {
    symbol.is_own() && !symbol.storage.is_static
}
