//! Executes scops, trees and loop ASTs at small sizes.
