diagnostic_ids! {
    /// A subscript of an array is not an affine expression of iterators and parameters. The polyhedral model cannot say
    /// which element such an access touches. Example: `A[i * j]`, `A[B[i]]`. Rewrite the subscript, or close the region
    /// before the statement.
    NonAffineSubscript = "non-affine-subscript", Error;
    /// A compiler or a compiled program could not be started. The message says which command; the note has its own words.
    /// Install it, or name another one (`--baseline` for `farkas bench`).
    ToolchainFailed = "toolchain-failed", Error;
    /// Original and result print different numbers, and the same ones where both are compiled with `-ffp-contract=off`: in one of
    /// them the compiler made fused multiply-adds of other products and sums, which are rounded once and not twice. The
    /// order of operations is the same. Compile with `-ffp-contract=off` in `--baseline` to compare bits, or allow for the
    /// difference with `--tolerance`.
    ContractedOutput = "contracted-output", Error;
    /// A program that is measured prints something else from run to run, so that nothing can be said of its results. Clocks,
    /// random numbers that start elsewhere each time, and addresses do that, and sums that threads add up in any order. Print
    /// none of them. Times may go to the error stream, in lines `time_s X`.
    VaryingOutput = "varying-output", Error;
    /// A program that is measured prints nothing, so that nothing would show whether a result is right. Standard output counts,
    /// and the error stream where it is the same in each run, but for lines `time_s X`. Print what is computed, or a sum of it. With
    /// `--allow-no-output` such programs are measured all the same.
    NoOutput = "no-output", Error;
    /// A result took longer than the original, by more than the times differ from round to round. The machine model chose
    /// it for sizes that it had to assume, or it is wrong. Say with which sizes the program runs, with `--sizes n=2000` or
    /// `#pragma farkas sizes(n=2000)`, or what is known of them, with `--context`.
    SlowerResult = "slower-result", Warning;
    /// A region does something that a device cannot do, or that is not known how to do there: it computes with a type or calls a function
    /// that kernels do not have, or it is not known how much of an array it touches, which would have to be copied. The region
    /// stays as it is, and runs on the host. The message says what it is.
    NotForDevice = "not-for-device", Warning;
    /// The tool itself took more memory than `--tool-memory` allows, 2G where nothing is said. Nothing was written. Work is
    /// counted, so that usual inputs stay far below; this is the last net. Allow more, take fewer regions or smaller ones, or
    /// `--jobs 1`, which works on one region at a time.
    OutOfMemory = "out-of-memory", Error;
    /// The result cannot be written where `-o` says, for instance because the folder does not exist or is read-only.
    /// Nothing was changed. Name another file, or leave `-o` out to get the result on standard output.
    UnwritableOutput = "unwritable-output", Error;
    /// Our own bug: a check of the tool on its own result failed. Nothing was written. Please report it with the input.
    InternalError = "internal-error", Error;
    /// Our own bug, which the legality check noticed in time: one form of a region would compute something else, or could not be
    /// made. A simpler form, or the original order, was written in its place: the result is right. Please report it with the
    /// input and the command line.
    IllegalForm = "illegal-form", Warning;
    /// `#pragma endscop` stands where no region is open. Put `#pragma scop` before the region's first statement, or
    /// remove the line.
    EndscopWithoutScop = "endscop-without-scop", Error;
    /// `#pragma scop` opens a region that nothing closes before the end of the file. Put `#pragma endscop` after the
    /// region's last statement.
    ScopWithoutEndscop = "scop-without-endscop", Error;
    /// `#pragma scop` stands inside a region. Regions do not nest: close the first one, or remove the line.
    NestedScop = "nested-scop", Error;
    /// A region is opened and closed in different blocks, or its pragma does not stand between the statements of a block.
    /// A region is a run of whole statements. Example: `#pragma scop` before a loop and `#pragma endscop` inside its
    /// braces. Put both pragmas directly into the same `{ … }`.
    ScopAcrossBlocks = "scop-across-blocks", Error;
    /// A region lies in an included file. The tool replaces regions of the file that it is given and changes no other.
    /// Run it on the included file, or move the region.
    ScopInIncludedFile = "scop-in-included-file", Error;
    /// A region lies at file scope. Statements have a meaning only inside a function: put them into one, with
    /// declarations of the arrays and scalars that they use.
    ScopOutsideFunction = "scop-outside-function", Error;
    /// The function of a region could not be parsed. Elsewhere in the file, what the parser does not know (extensions
    /// of a compiler) does not matter. Example: an unbalanced brace. Correct the place, or move what is unusual out of
    /// the function.
    SyntaxError = "syntax-error", Error;
    /// A macro call holds a part of a region and something outside it, so the region cannot be replaced. Example:
    /// `#define BEGIN for (i = 0; i < n; i++) {`. Write the macro out.
    RegionInMacro = "region-in-macro", Error;
    /// A file included inside a region has statements or declarations of its own, which the replacement would lose.
    /// Write them out.
    IncludeInRegion = "include-in-region", Error;
    /// The file uses `#line`, which hides where its own lines are. Remove the directive for this run.
    LineDirective = "line-directive", Error;
    /// `#if` or `#ifdef` inside a region: the output holds only the branch that was selected when the tool ran. Put the
    /// condition around the whole region, or compile the output with the same options.
    ConditionalInRegion = "conditional-in-region", Warning;
    /// A pragma inside a region (`omp parallel for`, `ivdep`, …) is dropped, because the region is written anew with
    /// pragmas of its own.
    PragmaDropped = "pragma-dropped", Remark;
    /// A pragma before, in or around a region that the region's code cannot go without, or of which it is not known what it
    /// says: the loop under `omp for` is shared out among threads, that under `omp target` runs on another processor. Or the
    /// region's text, or a pragma before it, depends on a condition of the preprocessor, as `#ifdef _OPENMP`. Close the
    /// region before it, put the region inside its statement, or remove the pragma.
    PragmaInTheWay = "pragma-in-the-way", Error;
    /// `--auto` leaves a loop alone. The message names the first obstacle that was found in, before or around it, which
    /// would be an error of a region marked there: a call that is not known, a subscript that is data, a pragma. What is
    /// inside the loop is still looked at.
    LoopLeftAlone = "loop-left-alone", Remark;
    /// A loop of the file is in a region that `--auto` found or somebody marked. The message says what became of the region,
    /// or of the part of it that the loop is in. Told where messages are for programs: people get a list.
    LoopInRegion = "loop-in-region", Remark;
    /// Regions for which strategy `auto` found a faster form stay as they are, since the file's code would become larger than
    /// `--growth` allows (three times what it was, and 32 KiB in any case); other regions gain more for the code that they add.
    /// `--growth any` sets no limit, and `--region` works on some regions alone.
    NoRoom = "no-room", Warning;
    /// No loop of the region starts threads: it runs in a parallel region of OpenMP already, or uses a variable of which each
    /// thread has its own (`_Thread_local`, `omp threadprivate`).
    OneThread = "one-thread", Remark;
    /// The input file cannot be read: it does not exist, is a folder, or may not be opened. Check the name.
    UnreadableFile = "unreadable-file", Error;
    /// The input file is larger than 16 MiB, or what the preprocessor makes of it larger than 256 MiB. No hand-written
    /// program is; check that the file is the one you meant.
    FileTooLarge = "file-too-large", Error;
    /// The input file is not text: it holds a zero byte. Check that it is C source. Text in UTF-16 has such bytes; convert it,
    /// for instance with `iconv -f UTF-16 -t UTF-8`. Bytes that are no UTF-8, as in comments in Latin-1, stay as they are.
    NotText = "not-text", Error;
    /// The input file has no content.
    EmptyFile = "empty-file", Error;
    /// The preprocessor could not be started. Install a C compiler, or name one with `--cpp` or `FARKAS_CPP`.
    PreprocessorMissing = "preprocessor-missing", Error;
    /// The preprocessor refused the file; its own message is shown. Often an include was not found: pass `-I` as for the
    /// compiler.
    PreprocessingFailed = "preprocessing-failed", Error;
    /// A bound of a loop is not an affine expression of outer iterators and parameters, so the set of iterations cannot
    /// be described. Example: `for (i = 0; i < n * m; i++)`. Compute the bound before the region: then it is a parameter.
    NonAffineBound = "non-affine-bound", Error;
    /// A bound of a loop is read from an array that the region writes, or at a place that changes in the region, so how often
    /// the loop runs is known at run time only. Example: `for (k = row[i]; k < row[i + 1]; k++)` in a loop over `i`. Close
    /// the region before the loop.
    DataDependentBound = "data-dependent-bound", Error;
    /// An `if` that holds loops has a condition on data. A condition on data can be kept inside one statement, but a loop
    /// under it has no set of iterations known in advance. Example: `if (x[i] > 0) for (…)`. Move the condition into the
    /// loop, or close the region before it.
    DataDependentBranch = "data-dependent-branch", Error;
    /// A subscript is itself read from an array, so which element it means is known at run time only. Example:
    /// `A[B[i]]`. Close the region before the statement.
    IndirectSubscript = "indirect-subscript", Error;
    /// A scalar that the region sets to what is no affine value stands in a bound, condition or subscript, so it is no
    /// parameter. Example: `m = a[0]; for (i = 0; i < m; i++)`. Compute it before the region, or write its value out.
    ModifiedParameter = "modified-parameter", Error;
    /// The body of a loop changes its iterator, or two nested loops share one. How often a loop runs must be known before
    /// it starts. Example: `for (i = 0; i < n; i++) i += A[i];`. Use another variable, or a condition.
    ModifiedIterator = "modified-iterator", Error;
    /// The value that an iterator has after its loop is used. Example: `for (i = 0; i < n; i++) …; x = i;`. Write the
    /// value out in terms of the loop's bounds.
    IteratorValue = "iterator-value", Error;
    /// A loop's iterator is not an integer. Example: `for (double x = 0; x < 1; x += 0.1)`. Count with an integer.
    LoopIterator = "loop-iterator", Error;
    /// A loop does not say where its iterator starts, or begins with a value that is not known. Example:
    /// `for (; i < n; i++)` where a condition on data set `i`. Write it.
    LoopInitializer = "loop-initializer", Error;
    /// A loop does not change its iterator by a constant. Example: `for (i = 1; i < n; i *= 2)`. Only constant steps make
    /// a lattice of iterations.
    LoopStep = "loop-step", Error;
    /// A loop has no condition, or none that ever fails. Example: `for (i = 0; ; i++)`, or `i >= 0` for an unsigned `i`.
    /// Give it a bound.
    EndlessLoop = "endless-loop", Error;
    /// A condition with `!=`, or one that may hold again after it failed, does not provably end the loop where it first
    /// fails. Example: `for (i = 0; i != n; i += 2)`. Write `<` or `>`, or state what is known, as in `--context 'n >= 0'`.
    InexactCondition = "inexact-condition", Error;
    /// A `while` or `do` loop of which it is not known how often it runs before it starts. Those are known that end by counting:
    /// `while (i < n) { …; i++; }`, `while (n--)`. Write it as a `for` loop, or close the region before it.
    WhileLoop = "while-loop", Error;
    /// `goto`, `break`, `continue` or `return` inside a region: which statements run would be known at run time only. Jumps
    /// ahead in a block are understood. Put the condition into loop bounds or an `if`.
    Jump = "jump", Error;
    /// A `switch` inside a region. Write it as a chain of `if`.
    SwitchStatement = "switch-statement", Error;
    /// Inline assembly inside a region: what it does is not known. Close the region before it.
    InlineAssembly = "inline-assembly", Error;
    /// A kind of statement that the tool does not know inside a region.
    UnsupportedStatement = "unsupported-statement", Error;
    /// A statement that computes a value and drops it, such as `x;`. Remove it.
    StatementWithoutEffect = "statement-without-effect", Error;
    /// A kind of expression that the tool does not know inside a region, for instance an address or a string.
    UnsupportedExpression = "unsupported-expression", Error;
    /// A declaration that the tool cannot keep inside a region: static, external, volatile or pointer variables, and
    /// initialiser lists. Move it before the region.
    UnsupportedDeclaration = "unsupported-declaration", Error;
    /// An assignment, `++` or `--` inside an expression. Example: `A[i++] = 0;`. Write it as a statement of its own.
    SideEffect = "side-effect", Error;
    /// A function is called of which the tool does not know that it has no side effects. Known are C's mathematics
    /// library and the file's own `static` functions that only compute. Say `--pure NAME`, or write the code out.
    UnknownCall = "unknown-call", Error;
    /// An array is given fewer or more subscripts than it has dimensions, or is used as a pointer. Example: `row = A[i];`
    /// for a matrix `A`. Use its elements.
    PartialSubscript = "partial-subscript", Error;
    /// A volatile or atomic variable in a region: each access is an effect of its own and may not be moved. Copy it into a
    /// plain variable before the region.
    VolatileAccess = "volatile-access", Error;
    /// A name is used that is declared nowhere in the file or its headers.
    UndeclaredName = "undeclared-name", Error;
    /// An integer literal does not fit 64 bits with a sign.
    LiteralTooLarge = "literal-too-large", Error;
    /// Statements or expressions are nested so deeply that the tool refuses them: no hand-written program is.
    NestedTooDeeply = "nested-too-deeply", Error;
    /// A function is called that the file defines, but it does more than compute from its arguments: it changes or reads
    /// other variables, works with addresses, or calls such a function. Example: a `static` function that counts its
    /// calls. Say `--pure NAME` if that does not matter, or close the region before the statement.
    ImpureCall = "impure-call", Error;
    /// A pointer is assigned inside the region, or moved by what is not known, or used later, so what its subscripts mean
    /// depends on when they run. Example: `p = A`, `if (x[i] > 0) p++`. Use subscripts from a fixed array.
    PointerAssigned = "pointer-assigned", Error;
    /// Two names of the region visibly stand for the same memory: one is set once, to point to the other or to a fixed place in it, or both to
    /// a third; or one may point into the other, and no test in front of the region can tell. Example: `double *p = &s;` and then both `p[0]`
    /// and `s`. Use one name.
    OverlappingArrays = "overlapping-arrays", Error;
    /// A member of a struct that the region cannot use: through a pointer, of an array of structs, of pointer type. Copy it
    /// into a variable before the region.
    StructMember = "struct-member", Error;
    /// A variable is declared directly in the region and used after it, where the declaration is gone. Move the declaration
    /// before the region.
    DeclaredInRegion = "declared-in-region", Error;
    /// The region is right only where something holds that neither the program shows nor a test in front of the region can
    /// find out. Example: the rows of `double **A` do not overlap. If you know that it holds, grant it by name, as in
    /// `--assume separate-rows=A`. Under `--no-strict-aliasing`, types prove nothing: a store to a `double` may change an `int` or
    /// a pointer, unless a test shows that it does not.
    UntestedAssumption = "untested-assumption", Error;
    /// What `--assume` or `#pragma farkas assume` names is no kind of assumption. The message lists the kinds.
    UnknownAssumption = "unknown-assumption", Error;
    /// An unsigned value leaves the range of its type wherever the region runs, so C wraps it around. Example: `i - 1`
    /// for an unsigned `i` that is 0. Use signed types.
    UnsignedWrap = "unsigned-wrap", Error;
    /// The text of `--context` is not understood. Write conditions on parameters: `n >= 4 && m == 2 * n`.
    BadContext = "bad-context", Error;
    /// A condition of `--context` names something that is no parameter of any region.
    UnusedContext = "unused-context", Warning;
    /// `#pragma farkas sizes(n=2000, k=3)` has another form: names of parameters, each with a whole number.
    BadSize = "bad-size", Error;
    /// A size of `--sizes` or `#pragma farkas sizes` names something that is no parameter of any region, or contradicts what is
    /// known of the parameter. It has no effect.
    UnusedSize = "unused-size", Warning;
    /// `#pragma farkas reduction(+: s, t)` has another form: an operator, a colon, and names of variables or arrays. The operator may be a
    /// function that combines two values of the variables' type, with its neutral element: `reduction(gcd: s) neutral(0)`.
    BadReduction = "bad-reduction", Error;
    /// `#pragma farkas reduction` names something that no region updates by the operator. It has no effect.
    UnusedReduction = "unused-reduction", Warning;
    /// `#pragma farkas` is followed by a word that means nothing to Farkas. It has no effect. Known are `assume`, `sizes` and `reduction`.
    UnknownPragma = "unknown-pragma", Warning;
    /// A region has no statement. There is nothing to transform.
    NothingToTransform = "nothing-to-transform", Warning;
    /// With `--auto`: a region was found.
    RegionFound = "region-found", Remark;
    /// isl ran out of its budget on a set of this region, or a number became too large. Split the region.
    TooComplex = "too-complex", Error;
    /// The file has no region: no `#pragma scop`, and `--auto` was not asked for or found none. Nothing was written. Put
    /// `#pragma scop` before the loops to transform and `#pragma endscop` behind them, or use `--auto`.
    NoRegion = "no-region", Error;
    /// `--region` names a region that the file does not have, or the file has several and none was named where a command
    /// works on one. A region is named by its function; `FUNCTION:2` is the second one of a function.
    UnknownRegion = "unknown-region", Error;
    /// A flag of the command line has a value that makes no sense. The message says what is expected.
    BadOption = "bad-option", Error;
    /// The dynamic library given to `--strategy` cannot be used as a strategy: it does not exist, is no library, does not
    /// export `farkas_strategy_v1`, or was made for another version of the interface. Build it with the header
    /// `farkas_strategy.h` of this version, as in `cc -shared -fPIC -I crates/capi/include -o libmine.so mine.c`.
    UnloadableStrategy = "unloadable-strategy", Error;
    /// The strategy given to `--strategy` was loaded but failed: its library returned a failure, or asked for what does not
    /// exist or makes no sense, such as an unknown cost function or a statement that is not there. Nothing was written.
    /// Correct the library; `docs/strategies-in-c.md` says what it may ask for.
    FailedStrategy = "failed-strategy", Error;
    /// A budget was used up, and the region was generated in a simpler form. The result is right but may be slower.
    SimplerForm = "simpler-form", Warning;
    /// The scheduler found no order of its own for some statements: no row of the strategy's kind is legal, or the search
    /// took too much work or too large numbers. They keep their original order; the result is right. Try another strategy
    /// (`--strategy`), one that allows negative coefficients such as `pluto-plus`, or a smaller region.
    NoSchedule = "no-schedule", Warning;
    /// The schedule given to `farkas check` cannot be read, or does not speak of the statements of the region. It is an
    /// isl union map, `[n] -> { S0[i, j] -> [j, i]; S1[i] -> [i, 0] }`, or a schedule tree in isl's YAML; `farkas show
    /// --scop` prints names, dimensions and parameters of the statements, `farkas show --tree` a tree to start from.
    BadSchedule = "bad-schedule", Error;
    /// The schedule given to `farkas check` does not compute what the region computes: two instances that touch the same
    /// element run in the wrong order or in none, or an instance does not run exactly once. The message shows an example
    /// with the smallest numbers that were found.
    IllegalSchedule = "illegal-schedule", Error;
    /// A strategy, influence or machine file is not JSON. JSON has no comments, no commas before a closing bracket, and
    /// strings in double quotes only. Example: `["x",]`. Correct the place; a remark can go under the key `description`.
    JsonSyntax = "json-syntax", Error;
    /// A strategy, influence or machine file uses a key that does not exist where it stands. Example: `"cost_function"`
    /// for `"cost_functions"`. `farkas schema strategy`, `farkas schema influence` and `farkas schema machine` print what
    /// is known.
    UnknownKey = "unknown-key", Error;
    /// A key that must be there is missing in a strategy, influence or machine file. Example: an entry of
    /// `ILP_construction` without `cost_functions`. Add it.
    MissingKey = "missing-key", Error;
    /// A key stands twice in one object of a strategy, influence or machine file, so one of the two would be lost. Put both
    /// into one, or remove one.
    DuplicateKey = "duplicate-key", Error;
    /// A value in a strategy, influence or machine file has another type than its key needs. Example:
    /// `"auto_vectorization": 1` for `true`. The message says what is expected.
    WrongType = "wrong-type", Error;
    /// A number or list in a strategy, influence or machine file is outside of what makes sense. Example: a tile size of 0.
    /// The message says which values do.
    ValueOutOfRange = "value-out-of-range", Error;
    /// A key in a strategy or influence file takes one of a few words, and this is none of them. Example: `"type":
    /// "vector"` for `"vectorize"`. The message lists them.
    UnknownWord = "unknown-word", Error;
    /// A list of cost functions names something that is neither predefined nor a variable of `new_variables`. Example:
    /// `"proximty"`. Predefined are `proximity`, `flow-proximity`, `memory-proximity`, `feautrier`, `contiguity`,
    /// `bigLoopsFirst`, `longStridesFirst`, `coefficient-sums`, `temporal-spatial` and `carry-spatial`.
    UnknownCostFunction = "unknown-cost-function", Error;
    /// A strategy or influence file names a statement that the region does not have, or a name fits several where one is
    /// needed. A statement is a number in textual order from 0, its name as `farkas show --scop` prints it, its C label,
    /// or `line:12`.
    UnknownStatement = "unknown-statement", Error;
    /// A step of a recipe names a loop in a form that is none. A loop is given by a statement and its place around it: `S0.1`
    /// is the outermost loop around `S0`, `S0.-1` the innermost, `S0.point.1` the first of its loops within tiles.
    MalformedLoop = "malformed-loop", Error;
    /// A step of a recipe does not apply to the program as the steps before it left it: the loop is not there, the band is not
    /// permutable, a loop that is to be parallel carries dependences. The message says why. Change the step, or give it
    /// `"optional": true` to leave it out where it does not apply.
    InapplicableStep = "inapplicable-step", Error;
    /// After a step of a recipe the program computes something else, whatever the steps behind it do. The message has two
    /// instances that run in the wrong order. Nothing was written.
    IllegalStep = "illegal-step", Error;
    /// Parts of a result were made by transformations that are no steps yet, as register tiles and strips, so that no recipe
    /// makes the same. The message names them. `farkas recipe extract` writes recipes of results that are made by steps alone.
    NoRecipe = "no-recipe", Error;
    /// A strategy or influence file names an iterator that is not around the statement. An iterator is a number, counted
    /// from 0 at the outermost loop, or its name: `S0_it_1`, `S0_it_[j]`.
    UnknownIterator = "unknown-iterator", Error;
    /// A strategy or influence file names a parameter that the region does not have. A parameter is a number in the
    /// order of `farkas show --scop`, from 0, or its name: `S0_par_0`, `S0_par_[n]`.
    UnknownParameter = "unknown-parameter", Error;
    /// A constraint or objective names a variable that is not declared. Example: `x - S0_it_0 >= 0` without
    /// `"new_variables": ["x"]`. Declare it, in an influence file at the node that uses it, or correct the name.
    UnknownVariable = "unknown-variable", Error;
    /// A row of AKG's soft constraints has a suffix, `(/4)` or `(%4)`: it asks for a part of a loop that is cut into strips.
    /// The rows of a schedule are affine, and such rows are not; nothing was written. Ask for the whole row once, without
    /// the suffix, and for tiles of that size with `--tile-sizes`.
    SplitRow = "split-row", Error;
    /// No scenario of an influence tree was followed: the message names for each node that has no row an irreducible set of
    /// its constraints and of its requirements `parallel` and `permutable`, and the dependences with a part in it. The
    /// schedule is that of the strategy alone. Relax one of them, or add a scenario.
    InfluenceDropped = "influence-dropped", Warning;
    /// A constraint of a strategy or influence file cannot be read. It compares two sums with one of `=`, `<=`, `>=`, `<`
    /// and `>`; a sum has integers, variables and coefficients such as `S0_it_1`, `Si_it_i` or `S*_cst`, with `+`, `-`,
    /// `*` and parentheses. Example: `2*S0_it_0 + x >= 1`.
    MalformedConstraint = "malformed-constraint", Error;
    /// A constraint of a strategy or influence file is not affine with integer coefficients: it multiplies two unknowns,
    /// divides, or uses `!=`. The scheduler's problems are linear. Rewrite it, for instance `2*x <= y` for `x <= y / 2`.
    NonAffineConstraint = "non-affine-constraint", Error;
    /// A constraint of an influence tree speaks of a row that is not found yet at its node: `S0_it_1@2` at depth 1. Move
    /// it to the node of that depth.
    RowTooDeep = "row-too-deep", Error;
    /// Two entries of a strategy, influence or machine file contradict each other, or one would hide the other. Example: two
    /// entries of `ILP_construction` for one dimension, or a loop that is to be both parallel and sequential. Keep one.
    ContradictoryEntries = "contradictory-entries", Error;
    /// A list or an object of a strategy, influence or machine file has more entries than are read. No such file that a
    /// person wrote comes near: check what wrote it.
    TooManyEntries = "too-many-entries", Error;
    /// A key of another tool's file that has no meaning here, such as `gpu` in a file of AKG's soft constraints. The rest
    /// of the file is used.
    IgnoredKey = "ignored-key", Warning;
    /// The constraints of a strategy leave no row for some statements: the message names an irreducible set of them, that is
    /// without any one of them there is a row, and the dependences with a part in it. Drop or relax one of them.
    ConflictingConstraints = "conflicting-constraints", Error;
    /// Statements that a strategy wants in one group have no legal loop in common, or those that it wants apart depend on
    /// one another in a cycle, or their groups do. The message names the dependences.
    ImpossibleFusion = "impossible-fusion", Error;
    /// A row of the schedule breaks a constraint of a strategy, since no legal row was found that keeps it and the fallback
    /// order of the strategy has `drop-constraints`. The constraint holds in the other rows. Take `drop-constraints` out of
    /// the order to have an error instead, which names the dependences.
    ConstraintDropped = "constraint-dropped", Warning;
    /// A directive of a strategy (parallel, vectorize) was dropped because no legal schedule follows it, or because tiles or
    /// the target leave no vector loop. The rest of the strategy is followed; the message names the dependence that forbids
    /// it, or says what else is in the way.
    DirectiveDropped = "directive-dropped", Warning;
    /// A text is not OpenSCoP, the exchange format of clan, candl, clay and CLooG: a number, a relation or a tag is missing
    /// or has another form than the library osl 0.9 reads. The message shows the place.
    BadOpenscop = "bad-openscop", Error;
    /// An OpenSCoP file is well-formed but says something that makes no program: a statement without a domain, a
    /// scattering that gives an instance no date or several, an access without the number of its array, relations with
    /// other numbers of dimensions than the statement has. The message names the statement.
    UnsupportedOpenscop = "unsupported-openscop", Error;
    /// The scatterings of an OpenSCoP file give several instances the same date, or are missing. Such instances are taken
    /// to run statement after statement, in the order of the file, and the instances of one statement in the lexicographic
    /// order of its iterators. Write scatterings that order all instances if another order is meant.
    AssumedOrder = "assumed-order", Warning;
    /// A variable is declared inside a region that is written as OpenSCoP, which has no declarations: code that is made
    /// from the file lacks it. Declare the variable before the region.
    DeclarationDropped = "declaration-dropped", Warning;
    /// A text is not in one of isl's forms: schedule constraints (`domain`, `context`, `validity`, `coincidence`,
    /// `condition`, `conditional_validity`, `proximity`), or a scop as sets and maps (`domain`, `context`, `schedule`,
    /// `reads`, `must_writes`, `may_writes`, `kills` and more). Each key stands at the start of a line, with a set or
    /// relation in isl notation behind a colon. The message shows the place.
    BadIsl = "bad-isl", Error;
    /// A text is in one of isl's forms but says something that makes no program: instances without a name, one name for
    /// tuples of several lengths, an instance without a date or with several. The message shows the place.
    UnsupportedIsl = "unsupported-isl", Error;
    /// Schedule constraints or accesses speak of instances that are not in the domain. They never run, so this part of the
    /// text says nothing and is left out. Check the names, the number of dimensions and the bounds.
    OutsideDomain = "outside-domain", Warning;
    /// No order of the instances was found that respects the schedule constraints. There is none where the constraints go
    /// round in a circle: `{ S[] -> T[]; T[] -> S[] }`. The message names two instances that are out of order in the
    /// first order that was tried.
    UnsatisfiedConstraints = "unsatisfied-constraints", Error;
    /// A database of recipes cannot be used: it is damaged or cut off, another program's, empty, or another version of Farkas wrote it. The
    /// message says which. Move a damaged one away, and make it anew from an export (`farkas db import`) or from copies (`farkas db merge`).
    BadDatabase = "bad-database", Error;
    /// Other processes kept writing to a database of recipes for longer than anybody waits. Nothing was changed. Try again.
    DatabaseBusy = "database-busy", Error;
    /// Part of a database of recipes is not what was written, and is left out. The rest is used. `farkas db verify --remove` takes it out.
    DamagedEntry = "damaged-entry", Warning;
    /// What is to be put into a database of recipes is no entry: a line of an export is not whole, has other keys, or a recipe that is none.
    /// Nothing was written. Correct the line, or leave it out.
    BadEntry = "bad-entry", Error;
    /// No nest in a database of recipes has a hash that begins so, or several have. `farkas db list` shows all of them.
    UnknownEntry = "unknown-entry", Error;
    /// A recipe of a database does not do for the program that it was found for: the program cannot be read, a step does not apply, or the
    /// result would compute something else. It is never used so. `farkas db verify --remove` takes it out.
    UnusableEntry = "unusable-entry", Error;
    /// A database of recipes is told nothing of what was measured for a region: it keeps programs of one function and its arrays, and this
    /// region needs more to be one, as members of structs or functions of the user's. The search itself goes on.
    UntoldRegion = "untold-region", Warning;
    /// The command that evaluates for `farkas tune` ended, wrote something that is no answer, or could not do a job. Its jobs are handed out
    /// again; where that goes on, the search ends with an error, and goes on from its journal when it is started again.
    EvaluatorTrouble = "evaluator-trouble", Warning;
    /// The journal of a search cannot be used: it is of another program, compiler or input, or a line of it is damaged. Remove it to begin
    /// anew, or name another one with `--journal`.
    BadJournal = "bad-journal", Error;
}
