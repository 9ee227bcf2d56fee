//! Words that somebody may have meant.

/// The word of `known` that differs least from `word`, if that is little; of equals the first.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let word = word.to_lowercase();
    let distance = |candidate: &str| {
        let candidate = candidate.to_lowercase();
        let length = candidate.chars().count().max(word.chars().count());
        let distance = strsim::osa_distance(&word, &candidate);
        (distance <= length / 3).then_some(distance)
    };
    let near = known.iter().filter_map(|candidate| Some((distance(candidate)?, *candidate)));
    near.min_by_key(|(distance, _)| *distance).map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn near_misses_are_found_and_others_are_not() {
        let known = ["proximity", "flow-proximity", "contiguity", "x", "y"];
        assert_eq!(nearest("proximty", &known), Some("proximity"));
        assert_eq!(nearest("Contiguity", &known), Some("contiguity"));
        assert_eq!(nearest("flow_proximity", &known), Some("flow-proximity"));
        assert_eq!(nearest("z", &known), None);
        assert_eq!(nearest("locality", &known), None);
    }
}
