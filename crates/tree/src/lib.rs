//! Schedule trees, cursors and edits.
