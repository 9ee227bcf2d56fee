//! C source to scops.
