//! Tiling, wavefront, point-loop order, parallel and vector marks.
