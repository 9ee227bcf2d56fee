//! How much code strategy `auto` adds to a file.

use farkas::{Growth, Options, Piece, ReadOptions, Stays, Strategy, leave_out, pieces, read};

/// Products of matrices: what becomes much code.
const N_PRODUCTS: usize = 12;

/// A file with as many functions, and one that copies.
fn text() -> String {
    let product = |n: usize| {
        format!(
            "void product{n}(double a[500][500], double b[500][500], double c[500][500])
{{
#pragma scop
  for (int i = 0; i < 500; i++)
    for (int j = 0; j < 500; j++)
      for (int k = 0; k < {}; k++)
        c[i][j] += a[i][k] * b[k][j];
#pragma endscop
}}
",
            100 + 20 * n
        )
    };
    (0..N_PRODUCTS).map(product).collect()
}

/// The bytes that the pieces add which do not stay, and how many stay for want of room.
fn kept(done: &[Piece]) -> (f64, usize) {
    let stays = |piece: &Piece| piece.result.as_ref().expect("a result").stays;
    let changed = done.iter().filter(|piece| stays(piece).is_none());
    let bytes = changed.map(|piece| piece.added().bytes).sum();
    (bytes, done.iter().filter(|piece| stays(piece) == Some(Stays::NoRoom)).count())
}

#[test]
fn a_file_grows_no_more_than_it_may() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("products.c");
    std::fs::write(&path, text()).expect("a file");
    let mut read_options = ReadOptions::default();
    let grant = |text: &str| text.parse().expect("a grant");
    read_options.front.grants = vec![grant("no-overlap")];
    let input = read(&path, &read_options).expect("C");
    let with = |growth: &str| {
        let growth: Growth = growth.parse().expect("a limit");
        let options = Options { strategy: Strategy::Auto, growth, ..Options::default() };
        options.of_file(&input.source)
    };
    let of = |region| pieces(input.reading.as_ref(), region, &with("any"));
    let mut done: Vec<Piece> = input.regions.iter().flat_map(of).collect();
    leave_out(&mut done, &with("any"));
    let (all, n_dropped) = kept(&done);
    assert_eq!((done.len(), n_dropped), (N_PRODUCTS, 0));
    let room = Growth::default().room(&input.source);
    assert!(all > room, "{all} {room}");
    leave_out(&mut done, &with("3x"));
    let (bytes, n_dropped) = kept(&done);
    assert!(bytes <= room && bytes > 0.0, "{bytes} {room}");
    assert!((1..N_PRODUCTS).contains(&n_dropped), "{n_dropped}");
    // The products with most to sum up gain most, and add no more code.
    let first = done[0].result.as_ref().expect("a result").stays;
    let last = done[N_PRODUCTS - 1].result.as_ref().expect("a result").stays;
    assert_eq!((first, last), (Some(Stays::NoRoom), None));
    assert!(done[0].summary().contains("--growth"), "{}", done[0].summary());
}
