diagnostic_ids! {
    /// A subscript of an array is not an affine expression of iterators and parameters. The polyhedral model cannot say
    /// which element such an access touches. Example: `A[i * j]`, `A[B[i]]`. Rewrite the subscript, or close the region
    /// before the statement.
    NonAffineSubscript = "non-affine-subscript", Error;
    /// Our own bug: a check of the tool on its own result failed. Nothing was written. Please report it with the input.
    InternalError = "internal-error", Error;
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
    /// The input file cannot be read: it does not exist, is a folder, or may not be opened. Check the name.
    UnreadableFile = "unreadable-file", Error;
    /// The input file is larger than 16 MiB, or what the preprocessor makes of it larger than 256 MiB. No hand-written
    /// program is; check that the file is the one you meant.
    FileTooLarge = "file-too-large", Error;
    /// The input file is not text: it holds a zero byte or bytes that are not UTF-8. Check that it is C source; convert
    /// old encodings, for instance with `iconv -f LATIN1 -t UTF-8`.
    NotText = "not-text", Error;
    /// The input file has no content.
    EmptyFile = "empty-file", Error;
    /// The preprocessor could not be started. Install a C compiler, or name one with `--cpp` or `FARKAS_CPP`.
    PreprocessorMissing = "preprocessor-missing", Error;
    /// The preprocessor refused the file; its own message is shown. Often an include was not found: pass `-I` as for the
    /// compiler.
    PreprocessingFailed = "preprocessing-failed", Error;
}
