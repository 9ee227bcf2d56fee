//! The polyhedral scheduler: driver, strategies, cost functions.
