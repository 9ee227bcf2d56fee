//! Arrays and their contents.

use crate::affine::Function;
use crate::random::Random;
use crate::value::{NumberType, Value};
use crate::{Error, Instance, Params, Result};
use farkas_base::IdVec;
use farkas_scop::{Array, ArrayId, Freedom, Scop};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The arrays of a scop. An element that was never written has an initial value that depends on the array's name and
/// the subscripts alone.
#[derive(Clone, Debug)]
pub struct Memory {
    arrays: IdVec<ArrayId, Store>,
    /// Whether the order of floating-point updates is free.
    is_rounded: bool,
}

/// One array.
#[derive(Clone, Debug)]
struct Store {
    name: String,
    ty: Option<NumberType>,
    type_text: String,
    is_live_out: bool,
    extents: Vec<Option<i64>>,
    written: BTreeMap<Vec<i64>, Value>,
    /// What was written to copies, by their numbers.
    copied: BTreeMap<(usize, Vec<i64>), Value>,
}

/// An element of an array or of a copy.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Cell {
    pub(crate) array: ArrayId,
    /// The number of the copy; `None` for the array itself.
    pub(crate) copy: Option<usize>,
    pub(crate) at: Vec<i64>,
}

/// An element that two memories disagree on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// The array.
    pub array: String,
    /// The element.
    pub element: Vec<i64>,
    /// Its value in the first memory.
    pub left: Value,
    /// Its value in the second memory.
    pub right: Value,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = element_text(&self.array, &self.element);
        write!(f, "{element} is {} and {}", self.left, self.right)
    }
}

impl Memory {
    /// The initial contents of the arrays of `scop`.
    ///
    /// # Errors
    /// When an extent has no value.
    pub fn new(scop: &Scop, params: &Params) -> Result<Self> {
        let store = |array: &Array| -> Result<Store> {
            let extent = |extent: &Option<farkas_poly::PwAff>| -> Result<Option<i64>> {
                let Some(extent) = extent else { return Ok(None) };
                let is_params = extent.domain()?.space()?.is_params()?;
                let on_point = if is_params { extent.from_range()? } else { extent.clone() };
                Function::new(&on_point, params)?.value(&[])
            };
            Ok(Store {
                name: array.name.clone(),
                ty: NumberType::of_elements(&array.element),
                type_text: array.element.text.clone(),
                is_live_out: array.is_live_out,
                extents: array.extents.iter().map(extent).collect::<Result<_>>()?,
                written: BTreeMap::new(),
                copied: BTreeMap::new(),
            })
        };
        let arrays = scop.arrays().iter().map(store).collect::<Result<_>>()?;
        let is_granted = scop.arrays().iter().any(|array| array.reduction.is_some());
        let is_rounded = is_granted || scop.reassociation().permits(Freedom::Rounded);
        Ok(Self { arrays, is_rounded })
    }

    /// The element type of `array`, for `instance`.
    pub(crate) fn element_type(&self, array: ArrayId, instance: &Instance) -> Result<NumberType> {
        let store = &self.arrays[array];
        store.ty.ok_or_else(|| Error::Unsupported {
            what: format!("the type {} of {}", store.type_text, store.name),
            instance: instance.clone(),
        })
    }

    /// The value of an element.
    pub(crate) fn read(&self, cell: &Cell, instance: &Instance) -> Result<Value> {
        let ty = self.element_type(cell.array, instance)?;
        let store = &self.arrays[cell.array];
        store.check(&cell.at, instance)?;
        Ok(match cell.copy {
            None => store.value(&cell.at, ty),
            Some(copy) => store.value_in_copy(copy, &cell.at, ty),
        })
    }

    /// Sets an element to `value`, converted to its type.
    pub(crate) fn write(&mut self, cell: Cell, value: Value, instance: &Instance) -> Result<()> {
        let ty = self.element_type(cell.array, instance)?;
        let store = &mut self.arrays[cell.array];
        store.check(&cell.at, instance)?;
        let value = value.convert(ty);
        match cell.copy {
            None => drop(store.written.insert(cell.at, value)),
            Some(copy) => drop(store.copied.insert((copy, cell.at), value)),
        }
        Ok(())
    }

    /// The first element, by array and subscripts, whose bits differ; arrays are matched by name. With
    /// `only_live_out`, arrays that nothing reads after the scop are not compared. Where the order of floating-point updates is
    /// free, a difference that is due to it is none.
    pub fn first_mismatch(&self, other: &Self, only_live_out: bool) -> Option<Mismatch> {
        for left in self.arrays.iter().filter(|a| a.is_live_out || !only_live_out) {
            let Some(right) = other.arrays.iter().find(|a| a.name == left.name) else { continue };
            let (Some(ty), Some(right_ty)) = (left.ty, right.ty) else { continue };
            let touched: BTreeSet<&Vec<i64>> =
                left.written.keys().chain(right.written.keys()).collect();
            for at in touched {
                let (a, b) = (left.value(at, ty), right.value(at, right_ty));
                if a != b && !(self.is_rounded && is_close(a, b)) {
                    let (array, element) = (left.name.clone(), at.clone());
                    return Some(Mismatch { array, element, left: a, right: b });
                }
            }
        }
        None
    }
}

/// Whether floating-point numbers differ by what sums in another order may.
fn is_close(a: Value, b: Value) -> bool {
    let share = match (a, b) {
        (Value::Half(_), Value::Half(_)) => 3e-2,
        (Value::Bf16(_), Value::Bf16(_)) => 0.25,
        (Value::Float(_), Value::Float(_)) => 1e-4,
        (Value::Double(_), Value::Double(_)) => 1e-9,
        _ => return false,
    };
    let (a, b) = (a.to_f64(), b.to_f64());
    (a - b).abs() <= share * a.abs().max(b.abs()).max(1.0)
}

impl fmt::Display for Memory {
    /// The written elements, one a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for store in &self.arrays {
            for (at, value) in &store.written {
                writeln!(f, "{} = {value}", element_text(&store.name, at))?;
            }
        }
        Ok(())
    }
}

impl Store {
    /// The element lies inside the known extents.
    fn check(&self, at: &[i64], instance: &Instance) -> Result<()> {
        let fits = |(x, extent): (&i64, &Option<i64>)| *x >= 0 && extent.is_none_or(|e| *x < e);
        // An unknown extent says nothing of negative subscripts either: the name may point into the middle.
        let inside = at.iter().zip(&self.extents).all(|(x, e)| e.is_none() || fits((x, e)));
        if inside {
            return Ok(());
        }
        let extents = self.extents.iter().map(|e| e.map(|e| e.to_string()).unwrap_or_default());
        let extents: Vec<String> = extents.map(|e| format!("[{e}]")).collect();
        Err(Error::OutOfBounds {
            element: element_text(&self.name, at),
            array: format!("{}{}", self.name, extents.concat()),
            instance: instance.clone(),
        })
    }

    /// The value of an element, written or initial.
    fn value(&self, at: &[i64], ty: NumberType) -> Value {
        self.written.get(at).copied().unwrap_or_else(|| initial(&self.name, at, ty))
    }

    /// The value of an element of a copy: written, or one that no other memory starts with.
    fn value_in_copy(&self, copy: usize, at: &[i64], ty: NumberType) -> Value {
        let written = self.copied.get(&(copy, at.to_vec())).copied();
        written.unwrap_or_else(|| initial(&format!("{} {copy}", self.name), at, ty))
    }
}

/// An element as C writes it.
pub(crate) fn element_text(array: &str, at: &[i64]) -> String {
    let at: Vec<String> = at.iter().map(|x| format!("[{x}]")).collect();
    format!("{array}{}", at.concat())
}

/// The initial value of an element: integers from 1 to 100, truth values, other numbers from 0.5 to 1.5 with random digits, so that
/// sums in another order are other sums.
fn initial(name: &str, at: &[i64], ty: NumberType) -> Value {
    let bytes = name.bytes().map(u64::from);
    let words = at.iter().map(|x| x.cast_unsigned());
    let seed = bytes.chain(words).fold(0, |hash, word| Random::new(hash ^ word).next());
    let bits = Random::new(seed).next();
    match ty {
        NumberType::Int { bits: 1, .. } => Value::integer(i128::from(bits % 2), ty),
        NumberType::Int { .. } => Value::integer(i128::from(bits % 100) + 1, ty),
        NumberType::Half => Value::Half(0.5 + (bits >> 54) as f32 / 1024.0),
        NumberType::Bf16 => Value::Bf16(0.5 + (bits >> 57) as f32 / 128.0),
        NumberType::Float => Value::Float(0.5 + (bits >> 40) as f32 / (1u64 << 24) as f32),
        NumberType::Double => Value::Double(0.5 + (bits >> 11) as f64 / (1u64 << 53) as f64),
    }
}
