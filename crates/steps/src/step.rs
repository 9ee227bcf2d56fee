//! The list of steps.

use crate::tree::Loop;
use crate::{
    Ahead, Barrier, Coalesce, Contract, Cut, Cyclic, Detach, Distribute, Divide, Expand, Fuse,
    Interchange, JoinKernels, Kernel, Map, Mark, Pad, Privatise, Reverse, Scale, Shift, Sink, Skew,
    SplitSums, Stage, Tile,
};
use crate::{ArrayAddress, LoopAddress, Result};
use farkas_deps::{Dependence, Dependences};
use farkas_scop::Scop;
use farkas_tree::{Program, ScheduleTree};
use serde::Serialize;
use serde_json::{Value, json};

/// What a step is applied to.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The statements and their order.
    pub program: &'a Program,
    /// The statements' dependences; where they are not known, loops that change are taken to carry some.
    pub deps: Option<&'a Dependences>,
}

impl<'a> Subject<'a> {
    /// The statements.
    pub fn scop(&self) -> &Scop {
        &self.program.scop
    }

    /// Their order.
    pub fn tree(&self) -> &ScheduleTree {
        &self.program.tree
    }

    /// The loop that an address names.
    pub(crate) fn find(&self, address: &LoopAddress) -> Result<Loop> {
        address.find(self.scop(), self.tree())
    }

    /// The name of the array that a dependence is about.
    pub(crate) fn array_of(&self, dep: &Dependence) -> Option<&'a String> {
        let scop: &'a Scop = &self.program.scop;
        let access = scop.stmts().get(dep.source)?.accesses.get(dep.source_access)?;
        Some(&scop.arrays()[access.array].name)
    }
}

/// A transformation with its parameters.
pub trait Rewrite {
    /// The program after the step.
    ///
    /// # Errors
    /// [`NotApplicable`](crate::NotApplicable) with the reason when it does not apply; when isl refuses.
    fn rewrite(&self, subject: &Subject<'_>) -> Result<Program>;

    /// The loops that it names.
    fn loops(&mut self) -> Vec<&mut LoopAddress>;

    /// The arrays that it names.
    fn arrays(&mut self) -> Vec<&mut ArrayAddress> {
        Vec::new()
    }

    /// The statements that it names by themselves.
    fn stmts(&mut self) -> Vec<&mut String> {
        Vec::new()
    }

    /// The names of the statements that it may add.
    fn new_stmts(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether statements and arrays stay.
    fn is_reorder(&self) -> bool {
        false
    }
}

/// A transformation of the order alone: statements and arrays stay.
pub trait Reorder {
    /// The order of the program's instances after the step.
    ///
    /// # Errors
    /// [`NotApplicable`](crate::NotApplicable) with the reason when it does not apply; when isl refuses.
    fn reorder(&self, subject: &Subject<'_>) -> Result<ScheduleTree>;

    /// The loops that it names.
    fn loops(&mut self) -> Vec<&mut LoopAddress>;

    /// The arrays that it names.
    fn arrays(&mut self) -> Vec<&mut ArrayAddress> {
        Vec::new()
    }

    /// The statements that it names by themselves.
    fn stmts(&mut self) -> Vec<&mut String> {
        Vec::new()
    }
}

impl<T: Reorder> Rewrite for T {
    fn rewrite(&self, subject: &Subject<'_>) -> Result<Program> {
        Ok(Program { tree: self.reorder(subject)?, ..subject.program.clone() })
    }

    fn loops(&mut self) -> Vec<&mut LoopAddress> {
        Reorder::loops(self)
    }

    fn arrays(&mut self) -> Vec<&mut ArrayAddress> {
        Reorder::arrays(self)
    }

    fn stmts(&mut self) -> Vec<&mut String> {
        Reorder::stmts(self)
    }

    fn is_reorder(&self) -> bool {
        true
    }
}

/// Why a step could not be read: where in its object, keys and positions outermost first, and what is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// Keys of objects, and positions in lists as numbers.
    pub path: Vec<String>,
    /// What is wrong.
    pub message: String,
}

/// Declares [`Step`] with a variant and a word for each kind.
macro_rules! steps {
    ($($kind:ident $word:literal,)*) => {
        /// A transformation of a program: one of the kinds in this crate, with its parameters.
        #[derive(Clone, PartialEq, Eq, Debug, Serialize)]
        #[serde(tag = "step")]
        #[allow(missing_docs, reason = "each variant is the type of its name")]
        pub enum Step {
            $(#[serde(rename = $word)] $kind($kind),)*
        }

        impl Step {
            /// The words for all kinds, as the key `step` has them.
            pub const WORDS: &[&str] = &[$($word),*];

            /// The word for its kind.
            pub fn word(&self) -> &'static str {
                match self {
                    $(Self::$kind(_) => $word,)*
                }
            }

            /// The step that a word and an object of its parameters stand for; none where no kind has this word.
            ///
            /// # Errors
            /// What is wrong with the parameters.
            pub fn read(word: &str, parameters: Value) -> Option<std::result::Result<Self, ReadError>> {
                match word {
                    $($word => Some(read::<$kind>(parameters).map(Self::$kind)),)*
                    _ => None,
                }
            }

            /// The JSON Schemas of all kinds, each with the keys `step`, which says which it is, and `optional`.
            pub fn schemas() -> Vec<Value> {
                let optional = "Whether it is left out, with a remark, where it does not apply.";
                let optional = json!({ "type": "boolean", "description": optional });
                let with_optional = |mut schema: Value| {
                    if let Some(properties) = properties_of(&mut schema) {
                        properties.insert("optional".to_owned(), optional.clone());
                    }
                    schema
                };
                vec![$(with_optional(schema::<$kind>("step", $word))),*]
            }

            /// The parameters with what they do.
            fn kind(&self) -> &dyn Rewrite {
                match self {
                    $(Self::$kind(step) => step,)*
                }
            }

            /// The same, to be changed.
            fn kind_mut(&mut self) -> &mut dyn Rewrite {
                match self {
                    $(Self::$kind(step) => step,)*
                }
            }
        }
    };
}

steps! {
    Ahead "ahead",
    Barrier "barrier",
    Coalesce "coalesce",
    Contract "contract",
    Cut "cut",
    Cyclic "cyclic",
    Detach "detach",
    Distribute "distribute",
    Divide "divide",
    Expand "expand",
    Fuse "fuse",
    Interchange "interchange",
    JoinKernels "join-kernels",
    Kernel "kernel",
    Map "map",
    Mark "mark",
    Pad "pad",
    Privatise "privatise",
    Reverse "reverse",
    Scale "scale",
    Shift "shift",
    Sink "sink",
    Skew "skew",
    SplitSums "split-sums",
    Stage "stage",
    Tile "tile",
}

impl Step {
    /// The program after the step. That it computes the same is not shown yet.
    ///
    /// # Errors
    /// [`NotApplicable`](crate::NotApplicable) with the reason when it does not apply; when isl refuses.
    pub fn apply(&self, subject: &Subject<'_>) -> Result<Program> {
        self.kind().rewrite(subject)
    }

    /// Whether it changes the order alone: statements and arrays stay.
    pub fn is_reorder(&self) -> bool {
        self.kind().is_reorder()
    }

    /// The same step with names for its loops and arrays that hold of programs with other sizes and names, too.
    ///
    /// # Errors
    /// When the tree has no such loops, or isl refuses.
    pub fn named(mut self, subject: &Subject<'_>) -> Result<Self> {
        for at in self.loops() {
            *at = at.named(subject.scop(), subject.tree())?;
        }
        for array in self.arrays() {
            *array = array.named(subject.scop());
        }
        Ok(self)
    }

    /// The loops that it names.
    pub fn loops(&mut self) -> Vec<&mut LoopAddress> {
        self.kind_mut().loops()
    }

    /// The arrays that it names.
    pub fn arrays(&mut self) -> Vec<&mut ArrayAddress> {
        self.kind_mut().arrays()
    }

    /// The statements that it names by themselves.
    pub fn stmts(&mut self) -> Vec<&mut String> {
        self.kind_mut().stmts()
    }

    /// The names of the statements that it may add, which steps after it may name.
    pub fn new_stmts(&self) -> Vec<String> {
        self.kind().new_stmts()
    }

    /// Whether it is for a program in its own order alone, before `schedule`.
    pub fn is_before_schedule(&self) -> bool {
        match self {
            Self::Expand(expand) => expand.at.is_none(),
            Self::Divide(_) => true,
            _ => false,
        }
    }
}

/// Reads the parameters of one kind of steps or planners.
///
/// # Errors
/// What is wrong with them.
pub fn read<T: serde::de::DeserializeOwned>(
    parameters: Value,
) -> std::result::Result<T, ReadError> {
    serde_path_to_error::deserialize(parameters).map_err(|error| {
        use serde_path_to_error::Segment;
        let path = error.path().iter().map(|segment| match segment {
            Segment::Seq { index } => index.to_string(),
            Segment::Map { key } => key.clone(),
            Segment::Enum { variant } => variant.clone(),
            Segment::Unknown => String::new(),
        });
        ReadError { path: path.collect(), message: error.inner().to_string() }
    })
}

/// The JSON Schema of one kind of steps or planners, with the word for it under `key`.
pub fn schema<T: schemars::JsonSchema>(key: &str, word: &str) -> Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Some(properties) = properties_of(&mut schema) {
        properties.insert(key.to_owned(), json!({ "const": word }));
    }
    if let Some(object) = schema.as_object_mut() {
        let required = object.entry("required").or_insert_with(|| json!([]));
        if let Some(required) = required.as_array_mut() {
            required.insert(0, json!(key));
        }
    }
    schema
}

/// The properties of objects that a schema describes.
fn properties_of(schema: &mut Value) -> Option<&mut serde_json::Map<String, Value>> {
    let properties = schema.as_object_mut()?.entry("properties").or_insert_with(|| json!({}));
    properties.as_object_mut()
}
