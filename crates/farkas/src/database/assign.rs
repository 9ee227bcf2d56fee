//! Pairs of least cost.

/// For each row the column that it is given, so that the sum of costs is least and no column is given twice; none for rows beyond the
/// number of columns. All rows of `costs` are equally long, and costs are finite.
///
/// (The Hungarian method, by shortest augmenting paths: R. Jonker, A. Volgenant, *A shortest augmenting path algorithm for dense and
/// sparse linear assignment problems*, Computing 38, 1987, without its initialization. Rows and columns that are too many get partners
/// that do not exist and cost nothing.)
pub(crate) fn assigned(costs: &[Vec<f64>]) -> Vec<Option<usize>> {
    let (n_rows, n_columns) = (costs.len(), costs.first().map_or(0, Vec::len));
    let n = n_rows.max(n_columns);
    let cost = |row: usize, column: usize| {
        costs.get(row).and_then(|row| row.get(column)).copied().unwrap_or(0.0)
    };
    // Numbers from one on: zero is the row that still seeks a column.
    let mut prices = [vec![0.0; n + 1], vec![0.0; n + 1]];
    let mut row_of = vec![0; n + 1];
    for row in 1..=n {
        row_of[0] = row;
        let way = shortest(row, &cost, &mut prices, &row_of);
        let Way { mut last, before } = way;
        while last != 0 {
            row_of[last] = row_of[before[last]];
            last = before[last];
        }
    }
    let mut found = vec![None; n_rows];
    for (column, row) in row_of.into_iter().enumerate().skip(1) {
        if let Some(place) = found.get_mut(row.wrapping_sub(1)).filter(|_| column <= n_columns) {
            *place = Some(column - 1);
        }
    }
    found
}

/// How a row gets a column: the last one, and before each the one whose row gives it up.
struct Way {
    last: usize,
    before: Vec<usize>,
}

/// The cheapest way to a column that no row has; prices of rows and columns are adapted so that none of the pairs on it costs anything.
fn shortest(
    row: usize,
    cost: &dyn Fn(usize, usize) -> f64,
    [of_rows, of_columns]: &mut [Vec<f64>; 2],
    row_of: &[usize],
) -> Way {
    let n = row_of.len();
    let mut least = vec![f64::INFINITY; n];
    let mut before = vec![0; n];
    let mut is_done = vec![false; n];
    let (mut here, mut own) = (0, row);
    loop {
        is_done[here] = true;
        let (mut step, mut next) = (f64::INFINITY, 0);
        for column in (1..n).filter(|&column| !is_done[column]) {
            let reduced = cost(own - 1, column - 1) - of_rows[own] - of_columns[column];
            if reduced < least[column] {
                (least[column], before[column]) = (reduced, here);
            }
            if least[column] < step {
                (step, next) = (least[column], column);
            }
        }
        for column in 0..n {
            if is_done[column] {
                of_rows[row_of[column]] += step;
                of_columns[column] -= step;
            } else {
                least[column] -= step;
            }
        }
        (here, own) = (next, row_of[next]);
        if own == 0 {
            return Way { last: here, before };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::assigned;

    #[test]
    fn the_sum_is_least() {
        let square = [vec![4.0, 1.0, 3.0], vec![2.0, 0.0, 5.0], vec![3.0, 2.0, 2.0]];
        assert_eq!(assigned(&square), [Some(1), Some(0), Some(2)]);
        let wide = [vec![1.0, 0.5, 9.0], vec![9.0, 0.0, 8.0]];
        assert_eq!(assigned(&wide), [Some(0), Some(1)]);
        let high = [vec![1.0], vec![0.0], vec![2.0]];
        assert_eq!(assigned(&high), [None, Some(0), None]);
        assert_eq!(assigned(&[]), []);
        assert_eq!(assigned(&[vec![]]), [None]);
    }

    #[test]
    fn it_is_as_good_as_all_orders() {
        let mut random = farkas_damage::Random::new(1);
        for _ in 0..200 {
            let n = random.between(1, 5) as usize;
            let costs: Vec<Vec<f64>> =
                (0..n).map(|_| (0..n).map(|_| random.below(20) as f64).collect()).collect();
            let sum = |pairs: &[usize]| -> f64 {
                pairs.iter().enumerate().map(|(row, column)| costs[row][*column]).sum()
            };
            let found: Vec<usize> = assigned(&costs).into_iter().flatten().collect();
            let best = orders(n).iter().map(|order| sum(order)).fold(f64::INFINITY, f64::min);
            assert_eq!(sum(&found), best, "{costs:?}");
        }
    }

    /// All orders of the first `n` numbers.
    fn orders(n: usize) -> Vec<Vec<usize>> {
        if n == 0 {
            return vec![Vec::new()];
        }
        let mut all = Vec::new();
        for order in orders(n - 1) {
            for at in 0..n {
                let mut longer = order.clone();
                longer.insert(at, n - 1);
                all.push(longer);
            }
        }
        all
    }
}
