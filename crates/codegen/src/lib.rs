//! C and OpenMP printers.
