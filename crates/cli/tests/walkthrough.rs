//! The page that follows one program through every stage shows what the stages print.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use std::path::Path;
use support::farkas_in;

/// The page with the output of each command after it, as it is.
fn renewed(page: &str, folder: &Path) -> String {
    let mut text = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        text.push_str(line);
        text.push('\n');
        if line != "```c" && line != "```console" {
            continue;
        }
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        if line == "```c" {
            let program = block.join("\n") + "\n";
            std::fs::write(folder.join("product.c"), &program).expect("written");
            text.push_str(&program);
        } else {
            let command = block.first().and_then(|line| line.strip_prefix("$ farkas "));
            let command = command.expect("a command");
            let words: Vec<&str> = command.split_whitespace().collect();
            let shown = farkas_in(folder, &words).expect(0).out;
            text.push_str(&format!("$ farkas {command}\n{}\n", shown.trim_end()));
        }
        text.push_str("```\n");
    }
    text
}

/// `INSTA_UPDATE=always` writes the page anew.
#[test]
fn the_page_on_one_program_is_true() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/gemm.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    let folder = tempfile::tempdir().expect("a folder");
    let new = renewed(&page, folder.path());
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::write(&path, &new).expect("written");
        return;
    }
    assert_eq!(page, new, "INSTA_UPDATE=always cargo test -p farkas-cli --test walkthrough");
}
