//! A sort that cannot panic and needs no memory.

use core::cmp::Ordering;

/// Heapsort (Williams 1964): n log n comparisons at worst, in place. The one in `core` may panic when the
/// comparison is not a total order, which a link-time proof cannot rule out.
pub(crate) fn heapsort<T: Copy>(items: &mut [T], mut compare: impl FnMut(T, T) -> Ordering) {
    let len = items.len();
    for root in (0..len / 2).rev() {
        sift_down(items, root, len, &mut compare);
    }
    for end in (1..len).rev() {
        swap(items, 0, end);
        sift_down(items, 0, end, &mut compare);
    }
}

/// Lets the item at `root` sink until no child is greater, within the first `end` items.
fn sift_down<T: Copy>(items: &mut [T], mut root: usize, end: usize, compare: &mut impl FnMut(T, T) -> Ordering) {
    let Some(items) = items.get_mut(..end) else { return };
    loop {
        let left = 2 * root + 1;
        let (Some(&item), Some(&first)) = (items.get(root), items.get(left)) else { return };
        let (child, greatest) = match items.get(left + 1) {
            Some(&second) if compare(first, second) == Ordering::Less => (left + 1, second),
            _ => (left, first),
        };
        if compare(item, greatest) != Ordering::Less {
            return;
        }
        swap(items, root, child);
        root = child;
    }
}

fn swap<T: Copy>(items: &mut [T], a: usize, b: usize) {
    if let (Some(&first), Some(&second)) = (items.get(a), items.get(b)) {
        if let Some(slot) = items.get_mut(a) {
            *slot = second;
        }
        if let Some(slot) = items.get_mut(b) {
            *slot = first;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::heapsort;

    #[test]
    fn sorts_every_short_sequence() {
        for code in 0u32..4096 {
            let mut items = [code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6 & 3, code >> 8 & 3, code >> 10 & 3];
            heapsort(&mut items, |a, b| a.cmp(&b));
            assert!(items.is_sorted(), "{code}: {items:?}");
        }
    }
}
