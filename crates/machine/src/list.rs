//! Lists of CPUs as the kernel writes them.

/// CPUs that a list may name; more is no list.
const MAX_CPUS: usize = 1 << 16;

/// The CPUs of a list such as `0-3,8,10-11`, in its order; `None` where it is none.
pub fn cpu_list(text: &str) -> Option<Vec<u32>> {
    let mut found = Vec::new();
    for part in text.trim().split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        let n = usize::try_from(last.checked_sub(first)?).ok()?;
        if found.len().saturating_add(n) >= MAX_CPUS {
            return None;
        }
        found.extend(first..=last);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::cpu_list;

    #[test]
    fn lists_are_read() {
        assert_eq!(cpu_list("0-3,8,10-11\n"), Some(vec![0, 1, 2, 3, 8, 10, 11]));
        assert_eq!(cpu_list("\n"), Some(vec![]));
        for wrong in ["3-1", "a", "1-", "0-4294967295", "-1"] {
            assert_eq!(cpu_list(wrong), None, "{wrong}");
        }
    }
}
