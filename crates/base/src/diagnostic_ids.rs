diagnostic_ids! {
    /// A subscript of an array is not an affine expression of iterators and parameters. The polyhedral model cannot say
    /// which element such an access touches. Example: `A[i * j]`, `A[B[i]]`. Rewrite the subscript, or close the region
    /// before the statement.
    NonAffineSubscript = "non-affine-subscript", Error;
    /// Our own bug: a check of the tool on its own result failed. Nothing was written. Please report it with the input.
    InternalError = "internal-error", Error;
}
