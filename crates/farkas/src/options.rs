//! What the user may choose.

use crate::Strategy;
use crate::database::Recipes;
use crate::growth::Growth;
use crate::normal::NormalOrder;
use crate::template::Template;
use crate::tiling::{PointOrder, TileSizes};
use farkas_base::{Diagnostic, SourceFile};
use farkas_codegen::{Language, Target};
use farkas_config::{BlockSizes, InfluenceFile, PointLoopOrder, RecipeFile, StrategyFile};
use farkas_deps::FlowBy;
use farkas_machine::{Gpu, Machine};
use farkas_schedule::FusionHeuristic;
use farkas_scop::{Grant, MemoryLimit, Reassociation, Region};
use farkas_transform::{Flatten, SplitIndexSets, Wavefronts};
use farkas_tree::NoThreads;
use std::sync::Arc;

/// What the names of recipes begin with that were made of a strategy's result.
pub(crate) const RECIPE_OF: &str = "strategy ";

/// What follows in the names of those that were made of what strategy `auto` chose.
pub(crate) const AUTO: &str = "auto: ";

/// How a region is transformed.
#[derive(Clone, Debug)]
pub struct Options {
    /// Who decides the order.
    pub strategy: Strategy,
    /// Scenarios that the scheduler follows where they are feasible.
    pub influence: Option<Arc<InfluenceFile>>,
    /// Steps in the place of all that is else done to the strategy's order.
    pub recipe: Option<Arc<RecipeFile>>,
    /// What to fuse; `None` leaves it to the strategy.
    pub fusion: Option<FusionHeuristic>,
    /// What a flow dependence is.
    pub flow: FlowBy,
    /// The integer solver of the scheduler.
    pub solver: farkas_schedule::SolverChoice,
    /// Whether the program's own order, where it is the strategy's, is shaped like any other. Else it is left alone.
    pub shapes_own_order: bool,
    /// What is done to the strategy's order where there is no recipe.
    pub template: Template,
    /// The machine that sizes are chosen for.
    pub machine: Machine,
    /// The GPU that sizes of kernels are chosen for.
    pub gpu: Gpu,
    /// Sizes of blocks and of what their threads compute, in the place of those that suit the GPU.
    pub block_sizes: BlockSizes,
    /// The place in the ranking, from one, of the form that strategy `auto` emits, whether or not it is the best; none for the
    /// best.
    pub rank: Option<usize>,
    /// Why no loops are to run on threads although the target has them; none where they may.
    pub no_threads: Option<NoThreads>,
    /// isl operations that strategy `auto` may spend on comparing the forms of a region.
    pub budget: u64,
    /// isl operations that all that is done to a region may take, or to all regions of a file; one that takes more keeps its order.
    pub effort: u64,
    /// isl operations that a region may take after that to be printed in its own order; where there are none, a used-up effort is an
    /// error.
    pub last_effort: u64,
    /// Give the values of temporaries places of their own, so that loops that share a temporary may run in another order.
    pub expand: bool,
    /// Whether temporaries that are arrays, too, may live in elements of other arrays then. Which takes in which depends on the loops around
    /// them, so that normal forms do without.
    pub array_homes: bool,
    /// Whether loops count their iterations and have no pieces for where other statements run, but conditions inside: code that is to be
    /// read, and maybe by us.
    pub whole_loops: bool,
    /// Make several statements of those that set several elements by way of variables of their own, so that loops may come apart between them.
    pub divide: bool,
    /// How much larger strategy `auto` may make the code of a file.
    pub growth: Growth,
    /// Whether `auto` tries orders that are made of the normal form, too.
    pub normalize: bool,
    /// What is made of the program's own order before it is shaped; nothing where it is shaped as it is.
    pub normal_order: Option<NormalOrder>,
    /// Let calls of BLAS routines take the place of statements that compute the same.
    pub blas: bool,
    /// Whose recipes `auto` tries beside its own forms.
    pub recipes: Option<Arc<Recipes>>,
    /// What the arrays may take that hold them.
    pub memory: MemoryLimit,
    /// What the strategy grants of what regions are read under, beside what whoever reads them grants.
    pub grants: Vec<Grant>,
    /// What code to write.
    pub target: Target,
    /// Whether strategy `auto` puts no second form beside the one that it chooses, and asks for no single sizes: those for which the form
    /// takes too much memory, or what stands beside it is faster.
    pub one_form: bool,
    /// Whether the report says why an influence tree's nodes have no row.
    pub explains_influence: bool,
    /// The file that places refer to, for strategies that name statements by their line and for messages.
    pub source: Option<Arc<SourceFile>>,
    /// Whether the code tells compilers and debuggers which lines of the file it comes from (`#line`).
    pub keeps_lines: bool,
    /// Whether the loops that take a region's place stand between `#pragma scop` and `#pragma endscop`.
    pub marks: bool,
}

impl Options {
    /// The options for a region of `source`.
    #[must_use]
    pub fn of_file(self, source: &Arc<SourceFile>) -> Self {
        Self { source: Some(Arc::clone(source)), ..self }
    }

    /// The options with a recipe, the order that it begins with, and what that fuses where these do not say it.
    ///
    /// # Errors
    /// What is wrong with the strategy that it names.
    pub fn with_recipe(self, file: Arc<RecipeFile>) -> Result<Self, Vec<Diagnostic>> {
        let (strategy, fusion) = (Strategy::of_recipe(&file)?, self.fusion.or(file.fusion()));
        Ok(Self { strategy, fusion, recipe: Some(file), ..self })
    }

    /// The options for code that starts kernels of a GPU: temporaries have places of their own, and the program's own order is shaped, too.
    #[must_use]
    pub fn on_device(self, language: Language, gpu: Gpu) -> Self {
        let (target, shapes_own_order, expand) = (Target::Device(language), true, true);
        let template = Template::on_device(&self.block_sizes);
        Self { target, shapes_own_order, expand, gpu, template, ..self }
    }

    /// The options with an edited template.
    #[must_use]
    pub fn with_template(self, edit: impl FnOnce(Template) -> Template) -> Self {
        Self { template: edit(self.template), ..self }
    }

    /// The options for a region: it may be such that it must not start threads, or that threads gather partial results in a fixed order.
    #[must_use]
    pub fn for_region(&self, region: &Region) -> Self {
        let forbidden = region.host.one_thread.clone().map(NoThreads::Region);
        let options = Self { no_threads: self.no_threads.clone().or(forbidden), ..self.clone() };
        match region.scop.reassociation() {
            Reassociation::Fixed => options.with_template(Template::with_partials),
            _ => options,
        }
    }

    /// Whether the result has the order of the original program.
    pub(crate) fn keeps_order(&self) -> bool {
        let is_shaped = match &self.recipe {
            Some(recipe) => recipe.has_steps(),
            None => self.shapes_own_order,
        };
        self.strategy.is_original() && !is_shaped
    }

    /// Whether the loops are those of the source, on one thread or on several.
    pub(crate) fn keeps_loops(&self) -> bool {
        let Self { strategy, template, recipe, .. } = self;
        recipe.is_none()
            && strategy.is_original()
            && !template.has("strips")
            && !template.has("register-tiles")
    }

    /// What decides the order, in words. A recipe that was made of a strategy's result has the name of that.
    #[must_use]
    pub fn deciding(&self) -> String {
        let Some(recipe) = &self.recipe else { return self.strategy.name().to_owned() };
        match recipe.name().strip_prefix(RECIPE_OF) {
            Some(strategy) => strategy.to_owned(),
            None => format!("{}, recipe {}", self.strategy.name(), recipe.name()),
        }
    }

    /// Why no loop of the result is to run on threads, if so.
    pub(crate) fn without_threads(&self) -> Option<NoThreads> {
        match self.target {
            Target::OpenMp => {}
            Target::C => return Some(NoThreads::Target),
            // Kernels have threads of their own.
            Target::Device(_) => return self.keeps_order().then_some(NoThreads::OwnOrder),
        }
        let own_order = self.keeps_order().then_some(NoThreads::OwnOrder);
        self.no_threads.clone().or(own_order)
    }

    /// Whether expanded arrays may be allocated: by what GNU compilers have, which plain C does not.
    pub(crate) fn may_expand(&self) -> bool {
        self.target != Target::C
    }

    /// Whether loops that are marked parallel run on threads only where their work pays: strategies and planners marked them, not
    /// the steps of a user's recipe.
    pub(crate) fn asks_for_threads(&self) -> bool {
        self.recipe.as_ref().is_none_or(|recipe| recipe.name().starts_with(RECIPE_OF))
    }

    /// Whether the original stands beside the result for sizes where that is not worth its threads: strategy `auto` decides, or did so
    /// when the recipe was written.
    pub(crate) fn keeps_original(&self) -> bool {
        let is_auto = |recipe: &RecipeFile| {
            let strategy = recipe.name().strip_prefix(RECIPE_OF);
            strategy.is_some_and(|strategy| strategy.starts_with(AUTO))
        };
        self.recipe.as_deref().is_some_and(is_auto)
    }

    /// The options for an order of which no code is generated, so that forms of it cannot be compared.
    pub(crate) fn for_orders(&self) -> Self {
        let strategy = match (&self.strategy, self.target) {
            (Strategy::Auto, Target::Device(_)) => Strategy::LocalityGpu,
            (Strategy::Auto, _) => Strategy::Pluto,
            (other, _) => other.clone(),
        };
        Self { strategy, ..self.clone() }
    }

    /// The options with what a strategy file asks for after scheduling, or its recipe. Where the file decides itself which loops are
    /// innermost, the order of point loops is left alone.
    #[must_use]
    pub fn with_file(mut self, file: &StrategyFile) -> Self {
        let shape = file.shape();
        let mut template = self.template;
        if let Some(tiling) = &shape.tiling {
            if !tiling.enabled {
                template = template.tiled(TileSizes::none());
            } else if let Some(sizes) = TileSizes::new(tiling.sizes.clone())
                && !tiling.sizes.is_empty()
            {
                template = template.tiled(sizes);
            }
            let only_for_reuse = tiling.only_for_reuse.unwrap_or(tiling.sizes.is_empty());
            template = template.tiled_for_reuse(only_for_reuse);
        }
        template = match shape.wavefront {
            Some(true) => template.with(Wavefronts {}),
            Some(false) => template.without("wavefronts"),
            None => template,
        };
        template = match shape.split_index_sets {
            Some(true) => template.with(SplitIndexSets {}),
            Some(false) => template.without("split-index-sets"),
            None => template,
        };
        template = match shape.split_tiles {
            Some(true) => template.with_split_tiles(),
            Some(false) => template.without_split_tiles(),
            None => template,
        };
        template = match shape.strips {
            Some(true) => template.with_strips(),
            Some(false) => template.without_strips(),
            None => template,
        };
        template = match shape.flatten {
            Some(true) => template.with(Flatten::default()),
            Some(false) => template.without("flatten"),
            None => template,
        };
        self.template = template.ordered(match shape.point_loop_order {
            Some(PointLoopOrder::Bands) => PointOrder::Bands,
            Some(PointLoopOrder::Points) => PointOrder::Points,
            Some(PointLoopOrder::Scheduled) => PointOrder::Scheduled,
            None if file.orders_loops() => PointOrder::Scheduled,
            None => PointOrder::Bands,
        });
        self.recipe = file.recipe().cloned();
        self.expand = shape.expand.unwrap_or(self.expand);
        self.memory = shape.memory.unwrap_or(self.memory);
        self.block_sizes = shape.gpu.unwrap_or(self.block_sizes);
        self.grants.extend(shape.assume.iter().cloned());
        self
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            strategy: Strategy::Pluto,
            influence: None,
            recipe: None,
            fusion: None,
            flow: FlowBy::Value,
            solver: farkas_schedule::SolverChoice::Ours,
            shapes_own_order: false,
            template: Template::default(),
            machine: Machine::generic(),
            gpu: Gpu::generic(),
            block_sizes: BlockSizes::default(),
            growth: Growth::default(),
            expand: false,
            array_homes: true,
            whole_loops: false,
            divide: false,
            normalize: false,
            normal_order: None,
            blas: false,
            recipes: None,
            memory: MemoryLimit::default(),
            grants: Vec::new(),
            target: Target::OpenMp,
            rank: None,
            no_threads: None,
            budget: 4_000_000,
            effort: crate::effort::RUN_OPERATIONS,
            last_effort: crate::effort::LAST_OPERATIONS,
            one_form: false,
            explains_influence: false,
            source: None,
            keeps_lines: false,
            marks: false,
        }
    }
}
